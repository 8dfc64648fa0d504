/**
 * The architecture as rules over a tree of sources: who may import whom, who owns which package. Pure, so that the test can
 * feed it trees that break each rule.
 */

/** Path below the repository (`src/http/http.ts`) and text. */
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

/** The folder or root file that a path belongs to: `src/http/http.ts` is `http`, `src/errors.ts` is `errors`. */
function areaOf(path: string): string {
  const [, first = '', ...rest] = path.split('/')
  return rest.length === 0 ? first.replace(/\.ts$/, '') : first
}

/** What each area may import, by area or by file; `type:` allows types only. Itself is always allowed. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  closest: [],
  shell: [],
  errno: ['errors'],
  folder: ['errno', 'errors', 'shell', 'type:host'],
  grouped: [],
  engine: [],
  loopback: [],
  version: [],
  host: [],
  args: ['closest', 'grouped', 'errors'],
  verb: ['type:api', 'type:bulk', 'type:host', 'type:http', 'type:output', 'type:profiles'],
  main: ['completion', 'help-pages', 'http/system-lookup.ts', 'invocation', 'output', 'version', 'type:host'],
  completion: ['program', 'commands', 'type:host'],
  'help-pages': ['program', 'type:host'],
  invocation: ['program', 'session', 'errno', 'errors', 'host', 'output', 'version'],
  session: ['verb', 'errors', 'host', 'output', 'views', 'version', 'bulk', 'api', 'http', 'profiles'],
  program: ['args', 'commands', 'errors', 'host', 'type:verb', 'output'],
  output: ['grouped', 'host', 'errno', 'errors'],
  views: ['grouped', 'type:api', 'api/person.ts', 'output'],
  api: ['closest', 'http', 'errors', 'type:host'],
  http: ['loopback', 'engine', 'errors', 'api/operations.ts', 'type:api', 'type:profiles', 'type:host'],
  profiles: ['loopback', 'closest', 'args', 'shell', 'folder', 'errno', 'errors', 'type:host', 'type:output'],
  ids: ['grouped', 'errno', 'errors', 'output/safe.ts'],
  bulk: [
    'engine',
    'ids',
    'grouped',
    'args',
    'folder',
    'errno',
    'errors',
    'type:api',
    'type:http',
    'type:host',
    'type:output',
    'type:verb',
    'profiles/profile.ts',
  ],
  sandbox: ['api/limits.ts', 'api/operations.ts', 'errors'],
  commands: [
    'closest',
    'engine',
    'grouped',
    'verb',
    'args',
    'ids',
    'bulk',
    'views',
    'api',
    'profiles',
    'sandbox',
    'output',
    'shell',
    'folder',
    'errno',
    'errors',
    'type:host',
    'version',
  ],
}

/** Packages and the files that may import them (`type:` not needed: types count as imports here). */
const owners: readonly (readonly [RegExp, RegExp])[] = [
  [/^(commander|@commander-js\/extra-typings)$/, /^src\/(program|verb|args|session)\.ts$|^src\/commands\//],
  [/^undici(\/|$)/, /^src\/http\//],
  [/^cosmiconfig$/, /^src\/profiles\/file\.ts$/],
  [/^cli-table3$/, /^src\/output\/table\.ts$/],
  [/^chalk$/, /^src\/output\//],
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
  const rules = allowed[from]
  if (rules === undefined) {
    report(file, 'every area has rules', from)
    return
  }
  const below = target.slice('src/'.length)
  const ok = rules.some((rule) => {
    const [, type, name] = /^(type:)?(.*)$/.exec(rule) ?? []
    if (type !== undefined && !item.typeOnly) return false
    return name === to || name === below
  })
  if (!ok && !mayUseHttp(file, to)) report(file, 'who may import whom', `${from} imports ${below}`)
}

/** Four commands talk to the door itself. */
function mayUseHttp(file: string, to: string): boolean {
  return (
    to === 'http' &&
    (/^src\/commands\/(api|doctor|sign|whoami)(\.ts|\/)/.test(file) ||
      /^src\/commands\/profiles\/check\.ts$/.test(file))
  )
}

/** A noun's verbs never import another noun's; a noun file imports its own verbs. */
function checkNouns(file: string, target: string, report: (file: string, rule: string, what: string) => void): void {
  const from = /^src\/commands\/([^/]+)\/[^/]+$/.exec(file)?.[1]
  const to = /^src\/commands\/([^/]+)\/[^/]+$/.exec(target)?.[1]
  const nounFile = /^src\/commands\/([^/]+)\.ts$/.exec(file)?.[1]
  if (from !== undefined && to !== undefined && from !== to) report(file, 'never another noun', target)
  if (nounFile !== undefined && to !== undefined && nounFile !== to) report(file, 'never another noun', target)
}
