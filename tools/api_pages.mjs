/** docs/reference/api: a page for each entry point of package.json's `exports`, from the declarations in dist/ and their comments. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Longest declaration that is shown whole, in characters; a longer type shows the names of its members. */
const LONGEST = 12_000;

const GROUPS = ['Functions', 'Classes', 'Types', 'Constants'];

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  noLib: true,
  types: [],
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** The entry points with types, each with the name that is imported, its page's file name and its declarations. */
export function entryPoints() {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            specifier: path === '.' ? name : `${name}/${path.slice(2)}`,
            file: `${path === '.' ? 'library' : path.slice(2)}.md`,
            types: join(ROOT, target.types),
            code: join(ROOT, target.default),
          },
        ],
  );
}

/** By file name, the text of each page. */
export function apiPages() {
  const entries = entryPoints();
  const missing = entries.filter(({ types }) => !existsSync(types));
  if (missing.length > 0) throw new Error(`${missing[0].types} is missing; run npm run build:js`);
  const program = ts.createProgram(
    entries.map(({ types }) => types),
    OPTIONS,
    hostOfDeclarations(),
  );
  const checker = program.getTypeChecker();
  return new Map(entries.map((entry) => [entry.file, pageOf(entry, entries, program, checker)]));
}

/** Reads the declarations of dist/ alone: other packages and the library of the language say nothing of our names. */
function hostOfDeclarations() {
  const host = ts.createCompilerHost(OPTIONS);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const path = join(dirname(from), text.replace(/\.(ts|js)$/, '.d.ts'));
      const isOurs = text.startsWith('.') && existsSync(path);
      return { resolvedModule: isOurs ? { resolvedFileName: path, extension: '.d.ts' } : undefined };
    });
  return host;
}

function pageOf({ specifier, file, types }, entries, program, checker) {
  const source = program.getSourceFile(types);
  const names = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .map((exported) => {
      const symbol = targetOf(exported, checker);
      return { name: exported.name, symbol, group: isForTypes(exported) ? 'Types' : groupOf(symbol) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const others = entries.map((entry) =>
    entry.file === file ? `\`${entry.specifier}\`` : `[\`${entry.specifier}\`](${entry.file})`,
  );
  const parts = [
    `# ${specifier}`,
    openingComment(source.text),
    `Made of the declarations: \`npm run docs\` writes it. Entry points: ${others.join(' · ')}.`,
    ...GROUPS.flatMap((group) => {
      const here = names.filter((named) => named.group === group);
      return here.length === 0
        ? []
        : [`## ${group}`, ...here.flatMap(({ name, symbol }) => partsOf(name, symbol, checker))];
    }),
  ];
  return `${parts.join('\n\n')}\n`;
}

function targetOf(symbol, checker) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** `export type { Policy }`: a class that cannot be called there. */
function isForTypes({ declarations = [] }) {
  return declarations.some((declaration) => ts.isTypeOnlyExportDeclaration(declaration));
}

function groupOf({ flags }) {
  if (flags & ts.SymbolFlags.Function) return 'Functions';
  if (flags & ts.SymbolFlags.Class) return 'Classes';
  return flags & ts.SymbolFlags.Variable ? 'Constants' : 'Types';
}

/** Heading, what the comment says, and the declaration. */
function partsOf(name, symbol, checker) {
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  const tags = symbol.getJsDocTags(checker).map(tagText).join('\n');
  const shown = symbol.declarations.map((declaration) => declarationText(name, declaration));
  const declaration = ['```ts', ...shown, '```'].join('\n');
  return [`### ${name}`, ...[comment, declaration, tags].filter((part) => part !== '')];
}

/** A line of a list: what a parameter is, what comes back, what is thrown. */
function tagText({ name, text = [] }) {
  const parameter = text.find(({ kind }) => kind === 'parameterName')?.text;
  const said = ts.displayPartsToString(text).replace(/\s+/g, ' ').trim();
  if (parameter === undefined) return `- ${name}: ${said}`;
  return `- \`${parameter}\`: ${said.slice(parameter.length).trim()}`;
}

/** The declaration as it is written, without what is private and without the comment above it. */
function declarationText(name, declaration) {
  const isVariable = ts.isVariableDeclaration(declaration);
  // Compilers differ in the quotes of types that they work out.
  const text = isVariable ? `const ${declaration.getText().replaceAll('"', "'")};` : declaration.getText();
  const written = text.replace(/^export /, '').replace(/^declare /, '');
  const members = (declaration.members ?? []).filter((member) => !isPrivate(member));
  if (written.length > LONGEST) return shortText(name, declaration, written, members);
  if (!ts.isClassDeclaration(declaration)) return written;
  const head = written.slice(0, declaration.members.pos - declaration.getEnd()).trimEnd();
  return [head, ...members.map((member) => `    ${member.getFullText().trim()}`), '}'].join('\n');
}

function isPrivate(member) {
  const isHidden = ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return isHidden === true || member.name?.kind === ts.SyntaxKind.PrivateIdentifier;
}

/** `interface Name { one; two }`, or how another long declaration begins. */
function shortText(name, { kind }, written, members) {
  const word = { [ts.SyntaxKind.InterfaceDeclaration]: 'interface', [ts.SyntaxKind.ClassDeclaration]: 'class' }[kind];
  if (word === undefined) return `${written.slice(0, LONGEST)} …`;
  const names = members.flatMap((member) => (member.name === undefined ? [] : [member.name.getText()]));
  return `${word} ${name} { ${names.join('; ')} }`;
}

/** The comment that a file opens with, without its marks. */
function openingComment(text) {
  const [, inner = ''] = /^\s*\/\*\*([\s\S]*?)\*\//.exec(text) ?? [];
  return inner.replace(/^[ \t]*\* ?/gm, '').trim();
}
