/**
 * The architecture as rules over a tree of sources: who may import whom, who owns which package. Pure, so that the test can
 * feed it trees that break each rule.
 */

/** Path below the repository (`src/http/client.ts`) and text. */
export type Tree = ReadonlyMap<string, string>

export interface Problem {
  readonly file: string
  readonly rule: string
  readonly what: string
}

interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
  readonly dynamic: boolean
}

const importPattern =
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

export function importsOf(text: string): Import[] {
  const found: Import[] = []
  for (const match of text.matchAll(importPattern)) {
    const statement = match[0]
    const specifier = match[2] ?? match[3] ?? ''
    const names = /\{([^}]*)\}/.exec(statement)?.[1]
    const onlyTypes =
      names !== undefined && names.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '))
    found.push({ specifier, typeOnly: match[1] !== undefined || onlyTypes, dynamic: match[3] !== undefined })
  }
  return found
}

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
 * The layers from the outside in. A file imports from its own layer and from those after it, types included.
 */
const layers: readonly (readonly string[])[] = [
  ['main'],
  ['cli'],
  ['commands'],
  ['bulk', 'sandbox', 'directory', 'ids', 'api', 'config', 'resources'],
  ['http', 'output'],
  ['values', 'folder', 'errno'],
  ['errors', 'host', 'words', 'version', 'engine', 'loopback'],
]

/** What verbs use of the layer in front of them: the context they are handed, and options that several of them take. */
const handedToVerbs = ['cli/verb.ts', 'cli/options.ts', 'cli/paging.ts']

const layerOf = (area: string): number => layers.findIndex((layer) => layer.includes(area))

/** The two verbs that show what `cli` is. */
const aboutTheCommandLine = /^src\/commands\/(help|completion)\.ts$/
/** The verbs that look at requests themselves; all others ask the API. */
const aboutRequests = /^src\/commands\/(doctor|sign)\//

/** Within a layer: who may import whom. */
const beside: Readonly<Record<string, readonly string[]>> = {
  bulk: ['directory', 'ids', 'api', 'config', 'resources'],
  directory: ['ids', 'api', 'resources'],
  resources: ['api'],
  sandbox: ['api/limits.ts', 'api/operations.ts'],
  folder: ['errno'],
}
/** It answers as the description says, and shares no code with what is tried against it. */
const mayBeShared = ['errors', 'api']

/** Packages and the files that may import them (`type:` not needed: types count as imports here). */
const owners: readonly (readonly [RegExp, RegExp])[] = [
  [/^(commander|@commander-js\/extra-typings)$/, /^src\/(cli|commands)\//],
  [/^undici(\/|$)/, /^src\/http\/transport\.ts$/],
  [/^cosmiconfig$/, /^src\/config\/load\.ts$/],
  [/^cli-table3$/, /^src\/output\/formats\/table\.ts$/],
  [/^chalk$/, /^src\/output\//],
  [/^libphonenumber-js/, /^src\/directory\/phone(-numbers)?\.ts$/],
  [/^saxes$/, /^src\/ids\/saxes\.js$/],
]

const forbiddenNames = ['utils', 'util', 'lib', 'helpers', 'common', 'shared', 'types']

export function problemsOf(tree: Tree): Problem[] {
  const problems: Problem[] = []
  const report = (file: string, rule: string, what: string): void => void problems.push({ file, rule, what })
  for (const [file, text] of tree) {
    if (!file.startsWith('src/')) continue
    const parts = file.split('/')
    if (parts.at(-1) === 'index.ts') report(file, 'no barrels', file)
    const named = parts.slice(1).find((part) => forbiddenNames.includes(part.replace(/\.ts$/, '')))
    if (named !== undefined) report(file, 'names say what a file knows', named)
    if (/\bexport\s+default\b/.test(text)) report(file, 'named exports only', 'export default')
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gm, '')
    if (/\bconsole\s*\./.test(code)) report(file, 'no console', 'console')
    if (/\bprocess\s*\.\s*exit\b/.test(code)) report(file, 'no process.exit', 'process.exit')
    if (file !== 'src/host.ts' && /(?<![.\w])process\s*[.[]/.test(code))
      report(file, 'process only in the host', 'process')
    for (const item of importsOf(text)) checkImport(file, item, report)
  }
  return problems
}

function checkImport(file: string, item: Import, report: (file: string, rule: string, what: string) => void): void {
  const { specifier } = item
  if (!specifier.startsWith('.')) {
    for (const [pattern, owner] of owners) {
      if (pattern.test(specifier) && !owner.test(file)) report(file, 'packages have owners', specifier)
    }
    if (specifier === 'process' || specifier === 'node:process') report(file, 'process only in the host', specifier)
    return
  }
  const target = resolve(file, specifier)
  if (!target.startsWith('src/')) {
    if (target !== 'package.json' || file !== 'src/version.ts') report(file, 'src imports src', specifier)
    return
  }
  checkNouns(file, target, report)
  const [from, to] = [areaOf(file), areaOf(target)]
  if (from === to) return
  const below = target.slice('src/'.length)
  const [layer, targets] = [layerOf(from), layerOf(to)]
  if (layer < 0 || targets < 0) report(file, 'every area has a layer', layer < 0 ? from : to)
  else if (!isAllowed()) report(file, 'one direction', `${from} imports ${below}`)

  function isAllowed(): boolean {
    if (from === 'sandbox' && !mayBeShared.includes(to)) return false
    if (from === 'commands' && to === 'http' && !aboutRequests.test(file)) return false
    if (layer < targets) return true
    if (layer === targets) return (beside[from] ?? []).some((name) => name === to || name === below)
    return from === 'commands' && to === 'cli' && (handedToVerbs.includes(below) || aboutTheCommandLine.test(file))
  }
}

/** A noun's verbs never import another noun's. */
function checkNouns(file: string, target: string, report: (file: string, rule: string, what: string) => void): void {
  const from = /^src\/commands\/([^/]+)\/[^/]+$/.exec(file)?.[1]
  const to = /^src\/commands\/([^/]+)\/[^/]+$/.exec(target)?.[1]
  if (from !== undefined && to !== undefined && from !== to) report(file, 'never another noun', target)
}
