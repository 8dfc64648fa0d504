/** The architecture as rules over the sources: who imports whom, who owns a package, which words are used. If red, a file breaks one of them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/svc.ts'

/** Path below the repository (`src/http/client.ts`) and text. */
type Tree = ReadonlyMap<string, string>

interface Problem {
  readonly file: string
  readonly rule: string
  readonly what: string
}

const importPattern =
  /^\s*(?:import|export)\s+(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

/** What a file imports, types and lazy imports included. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(importPattern)].map(([, named, lazy]) => named ?? lazy ?? '')

function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** The folder or root file that a path belongs to: `src/http/client.ts` is `http`, `src/errors.ts` is `errors`. */
function areaOf(path: string): string {
  const [, first = '', ...rest] = path.split('/')
  return rest.length === 0 ? first.replace(/\.ts$/, '') : first
}

/**
 * The layers from the outside in. A file imports from its own area and from the layers after it, types and lazy imports included.
 */
const layers: readonly (readonly string[])[] = [
  ['main'],
  ['program'],
  ['commands'],
  ['cli'],
  ['jobs'],
  ['runs'],
  ['people', 'sandbox'],
  ['api', 'config'],
  ['input', 'output', 'http'],
  ['workbook', 'disk'],
  ['safe-text'],
  ['identifiers', 'node-host'],
  ['errors', 'host', 'values', 'words'],
]

const layerOf = (area: string): number => layers.findIndex((layer) => layer.includes(area))

/** The verbs that look at requests themselves; all others ask the API. */
const aboutRequests = /^src\/commands\/doctor\.ts$/

/** Within other layers: who imports which file. */
const beside = new Set(['config api/operations.ts'])
/** The ground: its files import each other. */
const ground = layers.at(-1) ?? []
/** The service of the sandbox answers as the description says. With what is tried against it, it shares only these. */
const service = /^src\/sandbox\//
const mayBeShared = [...ground, 'identifiers']
  .map((name) => `${name}.ts`)
  .concat('api/operations.ts')
/** The only files that start it. */
const startsService = /^src\/commands\/sandbox\//

/** Packages, and the files that may import them, types included. */
const owners: readonly (readonly [RegExp, RegExp])[] = [
  [/^(@commander-js\/extra-typings|commander)$/, /^src\/(program|cli|commands)\//],
  [/^undici(\/|$)/, /^src\/(http\/transport|modules\.d)\.ts$/],
  [/^cosmiconfig(\/|$)/, /^src\/(config\/file|modules\.d)\.ts$/],
  [/^cli-table3$/, /^src\/output\/grid\.ts$/],
  [/^string-width$/, /^src\/output\/terminal-text\.ts$/],
  [/^chalk$/, /^src\/words\.ts$/],
  [/^@inquirer\//, /^src\/output\/questions\.ts$/],
  [/^csv-parse/, /^src\/input\//],
  // Others ask the host.
  [/^node:child_process$/, /^src\/(?:node-)?host\.ts$/],
  [/^libphonenumber-js/, /^src\/people\/person-values\.ts$/],
  [/^(saxes|yauzl|write-excel-file)/, /^src\/workbook\//],
]

/** What of Node comes in through the host alone, so that another host can stand in for this one. */
const modules = "'node:(?:fs|fs/promises|os|child_process|timers|timers/promises)'"
const outside = new RegExp(
  [
    `^import (?!type)[^']*${modules}`,
    `import\\(${modules}\\)`,
    String.raw`\b(?:setTimeout|setInterval|setImmediate|Date\.now|performance\.now)\(`,
    String.raw`\brandom(?:Bytes|UUID)\b[^(]*from 'node:crypto'`,
  ].join('|'),
  'm',
)
const isTheHost = (file: string) => file === 'src/node-host.ts'

/** The words of the command line; `$argv` is a variable of fish. */
const readsWords = /(?<!\$)\bargv\b/
/** The host has them, and the entrance hands them to the one reader. */
const mayReadWords = /^src\/(?:host|node-host|main)\.ts$/

/** A command within a line of a message. The printer adds `-p` only to a command that is a line of its own. */
const commandInText =
  /[:;,] svc (?:lists|contacts|tickets|employees|runs|profiles|doctor|sandbox)\b/

/** Names that a file hands on which are not its own: they are imported from where they are declared. The parts of a package that are used come in through one file, and so do those of the engine. */
const reExport = /^export (?:type )?(?:\{|\*)/m
const mayHandOn = /^src\/(?:workbook\/packages\.js|runs\/engine\.ts)$/

/** Words with which another one is meant; CONTRIBUTING lists what each word means. */
const rejectedWords = /\b(?:journal|ledger|event log)\b/i
/** In tests, a world is what a test makes. */
const rejectedInSources = /(?<!outside )\bworld\b/i

const exportedType = /^export (?:interface|type|class) (\w+)/gm

/** What is imported only when it is needed, beside the pages of verbs: the reason is start-up, which `npm run bench` measures. */
const lazyImports: readonly string[] = `
  program/parser program/act program/completion output/messages output/streams errors
  output/grid output/conversation output/questions output/progress output/render
  workbook/writer workbook/workbook workbook/cell input/read config/file
  people/duplicates people/person-values people/search people/match people/people-table
  sandbox/faults sandbox/server`
  .trim()
  .split(/\s+/)

const forbiddenNames = ['utils', 'util', 'lib', 'helpers', 'common', 'shared', 'types']

/** The text without comments and plain strings. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gm, '')
}

type Report = (file: string, rule: string, what: string) => void

function problemsOf(tree: Tree): Problem[] {
  const problems: Problem[] = []
  const report: Report = (file, rule, what) => void problems.push({ file, rule, what })
  for (const [file, text] of tree) {
    if (!file.startsWith('src/')) continue
    const parts = file.split('/')
    if (parts.at(-1) === 'index.ts') report(file, 'no barrels', file)
    const named = parts.slice(1).find((part) => forbiddenNames.includes(part.replace(/\.ts$/, '')))
    if (named !== undefined) report(file, 'names say what a file knows', named)
    const rejected = (rejectedWords.exec(text) ?? rejectedInSources.exec(text))?.[0]
    if (rejected !== undefined) report(file, 'one meaning a word', rejected)
    for (const [, lazy = ''] of text.matchAll(/\bimport\('(\.[^']*)\.ts'\)/g)) {
      const target = resolve(file, lazy).slice('src/'.length)
      if (!lazyImports.includes(target)) report(file, 'imports are static', target)
    }
    const code = codeOf(text)
    if (/\bprocess\s*\.\s*exit\b/.test(code)) report(file, 'no process.exit', 'process.exit')
    if (!isTheHost(file) && /(?<![.\w])process\s*[.[]/.test(code))
      report(file, 'process only in the host', 'process')
    const typed = text
      .split('\n')
      .find((line) => commandInText.test(line) && !/^ *(?:\*|\/|description:)/.test(line))
    if (typed !== undefined) report(file, 'a command to type is a line of its own', typed.trim())
    if (readsWords.test(code) && !mayReadWords.test(file))
      report(file, 'a line is read once', 'argv')
    if (reExport.test(code) && !mayHandOn.test(file)) report(file, 'no re-exports', file)
    const direct = outside.exec(text)?.[0]
    if (direct !== undefined && !isTheHost(file))
      report(file, 'the outside world comes in through the host', direct)
    for (const specifier of importsOf(text)) checkImport(file, specifier, report)
  }
  for (const [name, files] of repeatedNames(tree))
    report(files[1] ?? '', 'a name stands once', name)
  for (const [folder, count] of filesPerFolder(tree)) {
    if (count > 20) report(folder, 'at most 20 files in a folder', String(count))
  }
  return problems
}

/** Names of files outside of commands, and of exported types, that stand in more than one file. */
function repeatedNames(tree: Tree): [string, string[]][] {
  const places = new Map<string, string[]>()
  const add = (name: string, file: string) => places.set(name, [...(places.get(name) ?? []), file])
  for (const [file, text] of tree) {
    if (!file.endsWith('.ts')) continue
    if (!file.startsWith('src/commands/')) add(file.replace(/.*\//, ''), file)
    for (const [, name = ''] of text.matchAll(exportedType)) add(name, file)
  }
  return [...places].filter(([, files]) => files.length > 1)
}

function filesPerFolder(tree: Tree): Map<string, number> {
  const counts = new Map<string, number>()
  for (const file of tree.keys()) {
    const folder = file.slice(0, file.lastIndexOf('/'))
    if (folder.startsWith('src')) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return counts
}

/** A noun's verbs never import another noun's. */
const nounPattern = /^src\/commands\/([^/]+)\/[^/]+$/

function checkImport(file: string, specifier: string, report: Report): void {
  if (!specifier.startsWith('.')) {
    for (const [pattern, owner] of owners) {
      if (pattern.test(specifier) && !owner.test(file))
        report(file, 'packages have owners', specifier)
    }
    if (specifier === 'process' || specifier === 'node:process')
      report(file, 'process only in the host', specifier)
    return
  }
  const target = resolve(file, specifier)
  if (!target.startsWith('src/')) {
    const isFact = file === 'src/host.ts' && target === 'package.json'
    const isPage = file === 'src/commands/help.ts' && target.startsWith('docs/topics/')
    if (!isFact && !isPage) report(file, 'src imports src', specifier)
    return
  }
  const [noun, otherNoun] = [file, target].map((path) => nounPattern.exec(path)?.[1])
  if (noun !== undefined && otherNoun !== undefined && noun !== otherNoun)
    report(file, 'never another noun', target)
  const [from, to] = [areaOf(file), areaOf(target)]
  if (from === to) return
  if (to === 'runs' && target !== 'src/runs/engine.ts')
    report(file, 'runs come in through their engine', target)
  const below = target.slice('src/'.length)
  const [layer, targets] = [layerOf(from), layerOf(to)]
  if (layer < 0 || targets < 0) report(file, 'every area has a layer', layer < 0 ? from : to)
  else if (!isAllowed()) report(file, 'one direction', `${from} imports ${below}`)

  function isAllowed(): boolean {
    if (service.test(file) && !mayBeShared.includes(below)) return false
    if (to === 'sandbox' && !startsService.test(file)) return false
    if (from === 'commands' && to === 'http' && !aboutRequests.test(file)) return false
    if (layer < targets || (ground.includes(from) && ground.includes(to))) return true
    return beside.has(`${from} ${below}`)
  }
}

function sources(folder = 'src'): Tree {
  const tree = new Map<string, string>()
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:ts|bash|fish|zsh|json)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    tree.set(path.slice(root.length).replaceAll('\\', '/'), readFileSync(path, 'utf8'))
  }
  return tree
}

test('the sources keep the rules', () => {
  expect(problemsOf(sources())).toEqual([])
})

test('what is listed as lazy is lazy', () => {
  const used = [...sources()].flatMap(([file, text]) =>
    [...text.matchAll(/\bimport\('(\.[^']*)\.ts'\)/g)].map(([, lazy = '']) =>
      resolve(file, lazy).slice('src/'.length),
    ),
  )
  expect(lazyImports.filter((each) => !used.includes(each))).toEqual([])
})

/** The texts of a file of at least five words, without what is put in. Commands to type are no sentences. */
function sentencesOf(text: string): string[] {
  const literals = /\/\*[^]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
  return (text.match(literals) ?? [])
    .filter((literal) => /^['"`]/.test(literal))
    .flatMap((literal) => literal.slice(1, -1).split(/\$\{[^}]*\}|\\n|[;:.] /))
    .map((part) => part.trim())
    .filter(
      (part) =>
        part.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length >= 5 &&
        !part.startsWith('svc '),
    )
}

test('no sentence of five words stands twice', () => {
  const places = new Map<string, string[]>()
  for (const [file, text] of sources())
    for (const sentence of file.endsWith('.ts') ? sentencesOf(text) : [])
      places.set(sentence, [...(places.get(sentence) ?? []), file])
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([])
})

test('the tests use the words of CONTRIBUTING as well', () => {
  const wrong = [...sources('test')].filter(([, text]) => rejectedWords.test(text))
  expect(wrong.map(([file]) => file)).toEqual(['test/laws/architecture.test.ts'])
})
