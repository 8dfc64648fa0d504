/** The architecture as rules over the sources. A planted breach shows that each rule can fail. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../support/svc.ts'

/** Path below the repository (`src/http/client.ts`) and text. */
type Tree = ReadonlyMap<string, string>

interface Rule {
  /** Returns what breaks the rule, each with its file. */
  readonly find: (tree: Tree) => string[]
  /** Files that break it once, when they are added to the sources or replace some of them. */
  readonly breaches: readonly Readonly<Record<string, string>>[]
}

function filesBelow(folder: string): [path: string, text: string][] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|bash|fish|zsh|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(root.length), readFileSync(path, 'utf8')])
}

const importPattern = new RegExp(
  String.raw`^\s*(?:import|export)\s+(?:[^'"` +
    String.raw`\x60;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)`,
  'gm',
)

/** What a file imports as it is written there, types and lazy imports included. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(importPattern)].map(([, named, lazy]) => named ?? lazy ?? '')

function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gm, '')
}

/** Looks at each file of src alone. `problemOf` returns what is wrong with it, if something is. */
const eachFile =
  (problemOf: (file: string, text: string) => string | undefined): Rule['find'] =>
  (tree) =>
    [...tree].flatMap(([file, text]) => {
      const problem = file.startsWith('src/') ? problemOf(file, text) : undefined
      return problem === undefined ? [] : [`${file}: ${problem}`]
    })

/** Forbids a pattern in the text (or the code) of all files of src but the allowed ones. */
const forbid = (pattern: RegExp, allowed = /^$/, read = (text: string) => text) =>
  eachFile((file, text) => (allowed.test(file) ? undefined : pattern.exec(read(text))?.[0]))
const eachPackage = (isWrong: (file: string, name: string) => boolean) =>
  eachFile((file, text) =>
    importsOf(text).find((name) => !name.startsWith('.') && isWrong(file, name)),
  )

/** Looks at each import of a file of the repository, by its path. */
const eachPath = (isWrong: (file: string, target: string) => boolean) =>
  eachFile((file, text) =>
    importsOf(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => posix.join(posix.dirname(file), specifier))
      .find((target) => isWrong(file, target)),
  )

/** Finds parts of the TypeScript files of src that stand there more than once. */
const onlyOnce =
  (partsOf: (file: string, text: string) => string[]): Rule['find'] =>
  (tree) => {
    const places = new Map<string, string[]>()
    for (const [file, text] of tree)
      for (const part of /^src\/.*\.ts$/.test(file) ? partsOf(file, text) : [])
        places.set(part, [...(places.get(part) ?? []), file])
    return [...places]
      .filter(([, files]) => files.length > 1)
      .map(([part, files]) => `${files.join(', ')}: ${part}`)
  }

/** The layers from the outside in: a file imports from its own area and layers after it. */
const layers = [
  'main > program > commands > cli > runs > people sandbox > api config >',
  'input output http > workbook disk > safe-text > identifiers node-host >',
  'errors host parsing moments wording folding',
]
  .join(' ')
  .split(' > ')
  .map((layer) => layer.split(' '))
/** The last layer: its files import each other. */
const ground = layers.at(-1) ?? []
/** Imports within another layer: of an area, which file. */
const exceptions = new Set(['config src/api/operations.ts'])

const layerOf = (area: string): number => layers.findIndex((layer) => layer.includes(area))

/** The folder or root file of a path: `src/http/client.ts` is `http`, `src/errors.ts` `errors`. */
function areaOf(path: string): string {
  const [, first = '', ...rest] = path.split('/')
  return rest.length === 0 ? first.replace(/\.ts$/, '') : first
}

/** The sandbox answers as the API description says, and shares only these with svc. */
const sharedWithSandbox = [...ground, 'identifiers', 'api/limits', 'api/operations'].join('|')

/** Imports that are forbidden, as patterns of `FILE > TARGET`, and some of them. */
const importRules = String.raw`
  the verbs of a noun do not import those of another | ^src/commands/(\w+)/.* > src/commands/(?!\1/)\w+/ | src/commands/lists/x.ts > ../contacts/get.ts
  commands ask the API; only doctor looks at requests themselves | ^src/commands/(?!doctor\.ts).* > src/http/ | src/commands/lists/x.ts > ../../http/client.ts
  other areas import runs through their engine | ^src/(?!runs/).* > src/runs/(?!engine\.ts) | src/cli/x.ts > ../runs/database.ts
  only its commands import the sandbox | ^src/(?!sandbox/|commands/sandbox/).* > src/sandbox/ | src/cli/x.ts > ../sandbox/faults.ts
  the sandbox shares little with what is tried against it | ^src/sandbox/.* > src/(?!sandbox/|(?:${sharedWithSandbox})\.ts) | src/sandbox/x.ts > ../api/api.ts
  src imports src, beside its version and the pages of help | ^(?!src/host\.ts > package\.json|src/commands/help\.ts > docs/topics/).* > (?!src/) | src/cli/x.ts > ../../test/support/dice.ts | src/cli/x.ts > ../../docs/topics/bulk.md`
  .trim()
  .split('\n')
  .map((line): [string, Rule] => {
    const [title = '', pattern = '', ...imports] = line.trim().split(' | ')
    const forbidden = new RegExp(pattern)
    const breaches = imports.map((each) => {
      const [file = '', target] = each.split(' > ')
      return { [file]: `import { x } from '${target}'` }
    })
    return [title, { find: eachPath((file, to) => forbidden.test(`${file} > ${to}`)), breaches }]
  })

/** Packages and modules of Node, and the files that may import them, types included. */
const owners: readonly (readonly [imported: RegExp, owner: RegExp])[] = [
  [/^(@commander-js\/extra-typings|commander)$/, /^src\/(program|cli|commands)\//],
  [/^undici(\/|$)/, /^src\/(http\/(transport|proxy-agent)|modules\.d)\.ts$/],
  [/^cosmiconfig(\/|$)/, /^src\/(config\/file|modules\.d)\.ts$/],
  [/^valibot$/, /^src\/(config\/file|api\/(api|operations))\.ts$/],
  [/^cli-table3$/, /^src\/output\/grid\.ts$/],
  [/^string-width$/, /^src\/output\/grid\.ts$/],
  [/^chalk$/, /^src\/wording\.ts$/],
  [/^@inquirer\//, /^src\/output\/questions\.ts$/],
  [/^csv-parse\//, /^src\/input\//],
  [/^libphonenumber-js\//, /^src\/people\/compare\.ts$/],
  [/^(saxes|yauzl|write-excel-file)/, /^src\/workbook\//],
  [/^(@photostructure\/|node:)sqlite$/, /^src\/node-host\.ts$/],
  [/^node:child_process$/, /^src\/(?:node-)?host\.ts$/],
  [/^node:(?!child_process$|process$|sqlite$)/, /./],
]

const theHost = /^src\/node-host\.ts$/

/** Modules of Node that reach the outside world. Types of them are free. */
const modules = "'node:(?:fs|fs/promises|os|child_process|timers|timers/promises)'"
const directUse = new RegExp(
  [
    `^import (?!type)[^']*${modules}`,
    `import\\(${modules}\\)`,
    String.raw`\b(?:setTimeout|setInterval|setImmediate|Date\.now|performance\.now|Math\.random)\(`,
    String.raw`\bnew Date\(\)`,
    String.raw`\brandom(?:Bytes|UUID)\b[^(]*from 'node:crypto'`,
  ].join('|'),
  'm',
)

/** A command in a string: it would lack the typed profile, or have `svc` twice. */
const commandInText =
  /(?:[:;,]|\\n) *svc (?:lists|contacts|tickets|employees|runs|doctor(?! -p))\b|['`\]]: *['`]svc /
const commandLine = (text: string) =>
  text
    .split('\n')
    .find((line) => commandInText.test(line) && !/^ *(?:\*|\/|description:)/.test(line))

/** What is imported only when needed, beside verbs: `npm run bench` measures the start. */
const lazyImports: readonly string[] = `
  program/parser program/execute program/completion output/messages output/streams errors
  output/grid output/conversation output/questions output/progress output/render
  workbook/writer workbook/workbook input/items config/file http/proxy-agent
  people/duplicates people/compare people/search people/match people/people-table
  sandbox/faults sandbox/server`
  .trim()
  .split(/\s+/)
  .map((name) => `src/${name}.ts`)

const lazyImportsOf = (file: string, text: string) =>
  [...text.matchAll(/\bimport\('(\.[^']*\.ts)'\)/g)].map(([, lazy = '']) =>
    posix.join(posix.dirname(file), lazy),
  )

/** Words with which another one is meant; CONTRIBUTING lists what each word means. */
const rejectedWords = /\b(?:journal|ledger|event log|turned away|left over)\b/i

const emptyNames = new RegExp(
  String.raw`\b(?:const|let|function) (?:own|told|left|most|around|noted|touched|facts|wishes` +
    String.raw`|party|judge|isTold)\b`,
)

/** Strings of five words or more, without what is put in and without commands to type. */
function sentencesOf(text: string): string[] {
  const literals = /\/\*[^]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
  return (text.match(literals) ?? [])
    .filter((literal) => /^['"`]/.test(literal))
    .flatMap((literal) => literal.slice(1, -1).split(/\$\{[^}]*\}|\\n|[;:.] /))
    .map((part) => part.trim())
    .filter((part) => part.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length >= 5)
    .filter((part) => !part.startsWith('svc '))
}

const rules: Readonly<Record<string, Rule>> = {
  'imports are lazy where that is listed, and nowhere else': {
    find(tree) {
      const used = [...tree].flatMap(([file, text]) => lazyImportsOf(file, text))
      const unlisted = used.filter((each) => !lazyImports.includes(each))
      return [...unlisted, ...lazyImports.filter((each) => !used.includes(each))]
    },
    breaches: [
      { 'src/cli/x.ts': "await import('../safe-text.ts')" },
      { 'src/commands/contacts/find.ts': '' },
    ],
  },
  'a file imports from its own area and from the layers after it': {
    find: eachPath((file, target) => {
      const [from, to] = [areaOf(file), areaOf(target)]
      if (from === to || !target.startsWith('src/')) return false
      if (layerOf(from) < 0 || layerOf(to) < 0) return true
      if (layerOf(from) < layerOf(to) || (ground.includes(from) && ground.includes(to)))
        return false
      return !exceptions.has(`${from} ${target}`)
    }),
    breaches: [
      { 'src/http/x.ts': "import { SvcApi } from '../api/api.ts'" },
      { 'src/http/x.ts': "import type { Row } from '../output/render.ts'" },
      { 'src/config/x.ts': "const api = await import('../api/api.ts')" },
      { 'src/newcomer/x.ts': "import { SvcError } from '../errors.ts'" },
    ],
  },
  ...Object.fromEntries(importRules),
  'every package has an owner, and only that one imports it': {
    find: eachPackage(
      (file, name) => !(owners.find(([imported]) => imported.test(name))?.[1].test(file) ?? false),
    ),
    breaches: [
      { 'src/cli/x.ts': "import { Pool } from 'undici'" },
      { 'src/cli/x.ts': "import leftPad from 'left-pad'" },
      { 'src/cli/x.ts': "import type { ChildProcess } from 'node:child_process'" },
      { 'src/cli/x.ts': "import { exit } from 'node:process'" },
    ],
  },
  'the outside world comes in through the host, so that a test can bring another one': {
    find: forbid(directUse, theHost),
    breaches: [
      { 'src/cli/x.ts': "import { readFileSync } from 'node:fs'" },
      { 'src/cli/x.ts': "await import('node:os')" },
      { 'src/cli/x.ts': "import { randomUUID } from 'node:crypto'" },
      { 'src/cli/x.ts': 'const now = Date.now()' },
      { 'src/cli/x.ts': 'const today = new Date()' },
      { 'src/cli/x.ts': 'const chance = Math.random()' },
    ],
  },
  'only the host has the process': {
    find: forbid(/(?<![.\w])process\s*[.[]/, theHost, codeOf),
    breaches: [{ 'src/cli/x.ts': 'const { HOME } = process.env' }],
  },
  'nothing calls process.exit': {
    find: forbid(/\bprocess\s*\.\s*exit\b/, undefined, codeOf),
    breaches: [{ 'src/node-host.ts': 'process.exit(1)' }],
  },
  // The printer adds `svc` and `-p`, which those of profiles and the sandbox do not take.
  'a command that takes a profile is data': {
    find: eachFile((_, text) => commandLine(text)?.trim()),
    breaches: [
      { 'src/cli/x.ts': "const hint = 'to see all: svc lists list'" },
      { 'src/cli/x.ts': String.raw`const hint = 'to see all:\n  svc lists list'` },
      { 'src/cli/x.ts': "const hint = { 'to see all': 'svc lists list' }" },
    ],
  },
  // But for the parts of a package that are used, and those of the engine.
  'a name is imported from where it is declared': {
    find: forbid(
      /^export (?:type )?(?:\{|\*)/m,
      /^src\/(?:workbook\/packages\.js|runs\/engine\.ts)$/,
      codeOf,
    ),
    breaches: [
      { 'src/cli/x.ts': "export { SvcError } from '../errors.ts'" },
      { 'src/cli/x.ts': "export * from '../errors.ts'" },
    ],
  },
  'the name of a file or folder says what it knows': {
    find: eachFile((file) =>
      file
        .replace(/\.ts$/, '')
        .split('/')
        .find((part) => /^(?:index|utils?|lib|helpers|common|shared|types)$/.test(part)),
    ),
    breaches: [{ 'src/http/index.ts': '' }, { 'src/common/x.ts': '' }],
  },
  'the name of an exported type, and of a file outside commands, stands once': {
    find: onlyOnce((file, text) => [
      ...(file.startsWith('src/commands/') ? [] : [posix.basename(file)]),
      ...[...text.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(
        ([, name = '']) => name,
      ),
    ]),
    breaches: [{ 'src/cli/client.ts': '' }, { 'src/cli/x.ts': 'export class SvcError {}' }],
  },
  'a folder has at most 20 files': {
    find(tree) {
      const folders = [...tree.keys()].map((file) => posix.dirname(file))
      const isFull = (folder: string) =>
        folder.startsWith('src') && folders.filter((each) => each === folder).length > 20
      return [...new Set(folders)].filter(isFull)
    },
    breaches: [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`src/x/${n}.ts`, '']))],
  },
  'sources and tests use the words of CONTRIBUTING': {
    find: (tree) => [...tree].filter(([, text]) => rejectedWords.test(text)).map(([file]) => file),
    breaches: [{ 'src/cli/x.ts': '/** The ledger. */' }, { 'test/x.ts': '/** An event log. */' }],
  },
  'no sentence of five words stands twice': {
    // The table of verbs repeats the summaries of their pages, which another test compares.
    find: onlyOnce((file, text) => (file === 'src/program/commands.ts' ? [] : sentencesOf(text))),
    breaches: [
      {
        'src/cli/x.ts':
          "const twice = ['these are five words exactly', 'these are five words exactly']",
      },
    ],
  },
  'a variable has the name of what it is': {
    find: forbid(emptyNames, undefined, codeOf),
    breaches: [{ 'src/cli/x.ts': 'const own = 1' }],
  },
}

const ownFile = 'test/laws/architecture.test.ts'
const all = [...filesBelow('src'), ...filesBelow('test')].filter(([file]) => file !== ownFile)

describe.each(Object.entries(rules))('%s', (_, { find, breaches }) => {
  test('in the sources', () => {
    expect(find(new Map(all))).toEqual([])
  })

  test('which a planted breach does not keep', () => {
    for (const breach of breaches)
      expect(
        find(new Map([...all, ...Object.entries(breach)])),
        JSON.stringify(breach),
      ).toHaveLength(1)
  })
})
