/** What a template consists of. `line` counts from 1. */

interface Placed {
  readonly line: number;
}

export interface Arguments {
  readonly positional: readonly Expression[];
  readonly named: readonly (readonly [string, Expression])[];
}

export type Expression = Placed &
  (
    | { readonly kind: 'literal'; readonly value: string | number | bigint | boolean | null }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
    | { readonly kind: 'dict'; readonly items: readonly (readonly [Expression, Expression])[] }
    | { readonly kind: 'unary'; readonly operator: string; readonly of: Expression }
    | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
    | { readonly kind: 'concat'; readonly parts: readonly Expression[] }
    | {
        readonly kind: 'compare';
        readonly first: Expression;
        readonly rest: readonly { readonly operator: string; readonly of: Expression }[];
      }
    | {
        readonly kind: 'condition';
        readonly test: Expression;
        readonly value: Expression;
        readonly otherwise: Expression | undefined;
      }
    | { readonly kind: 'attribute'; readonly of: Expression; readonly name: string }
    | { readonly kind: 'item'; readonly of: Expression; readonly index: Expression }
    | { readonly kind: 'slice'; readonly bounds: readonly (Expression | undefined)[] }
    | { readonly kind: 'call'; readonly callee: Expression; readonly args: Arguments }
    | { readonly kind: 'filter'; readonly of: Expression; readonly name: string; readonly args: Arguments }
    | {
        readonly kind: 'test';
        readonly of: Expression;
        readonly name: string;
        readonly args: Arguments;
        readonly isNegated: boolean;
      }
    /** What a block has rendered, as a filter takes it. */
    | { readonly kind: 'rendered'; readonly body: Body }
  );

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | undefined;
}

export type Target =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: string; readonly name: string }
  | { readonly kind: 'targets'; readonly targets: readonly Target[] };

export type Body = readonly Statement[];

export type Statement = Placed &
  (
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'print'; readonly of: Expression }
    | {
        readonly kind: 'if';
        readonly branches: readonly { readonly test: Expression; readonly body: Body }[];
        readonly otherwise: Body;
      }
    | {
        readonly kind: 'for';
        readonly target: Target;
        readonly over: Expression;
        readonly test: Expression | undefined;
        readonly isRecursive: boolean;
        readonly body: Body;
        readonly otherwise: Body;
      }
    | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
    | {
        readonly kind: 'macro';
        readonly name: string;
        readonly parameters: readonly Parameter[];
        readonly body: Body;
      }
    | {
        readonly kind: 'call-block';
        readonly call: Extract<Expression, { kind: 'call' }>;
        readonly parameters: readonly Parameter[];
        readonly body: Body;
      }
    | {
        readonly kind: 'scope';
        readonly values: readonly (readonly [Target, Expression])[];
        readonly body: Body;
      }
    | { readonly kind: 'break' | 'continue' }
  );
