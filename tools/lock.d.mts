/** Types of lock.mjs, for its tests. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}
interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export function missingPackages(
  packages: Readonly<Record<string, LockedPackage>>,
): { readonly name: string; readonly range: string; readonly parent: string }[];
export function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'>;
export function completeLock(lock: Lock): Lock;
