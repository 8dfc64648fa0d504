/** What the words of a command line say before anything is known of commands and options. */
import type { Host } from '../host.ts'

/** What a shell asks on a tab. `isBrief`: only the newest of many names before a letter is typed. */
export interface Completion {
  readonly kind: 'complete'
  readonly words: readonly string[]
  readonly isBrief: boolean
}

type Shortcut = { readonly kind: 'version' } | Completion

/** What needs neither the framework nor a configuration: the version, what a shell asks on a tab, and svc itself. */
export function shortcutOf(words: readonly string[]): Shortcut | undefined {
  const [first, second = '', ...rest] = words
  if (first === '-V' || first === '--version' || (first === 'version' && words.length === 1)) return { kind: 'version' }
  if (first === '__complete') return { kind: 'complete', words: rest, isBrief: second === '--brief' }
  return undefined
}

export function isHelp(word: string): boolean {
  return word === '-h' || word === '--help'
}

/** The form of errors, found before parsing, so that usage errors have it too. */
export function errorFormatOf({ argv, env }: Pick<Host, 'argv' | 'env'>): 'text' | 'json' {
  let output = env['SVC_OUTPUT']
  let explicit = env['SVC_ERROR_FORMAT']
  for (const [at, word] of argv.entries()) {
    if (word === '--') break
    if (word === '--json') output = 'json'
    else if (word === '-o') output = argv[at + 1]
    else output = valueAt(argv, at, '--output') ?? output
    explicit = valueAt(argv, at, '--error-format') ?? explicit
  }
  if (explicit === 'json' || explicit === 'text') return explicit
  return output === 'json' || output === 'ndjson' ? 'json' : 'text'
}

/** Whether messages may have colors, found before parsing too. A file's `color: never` is known only later. */
export function allowsColor({ argv, env }: Pick<Host, 'argv' | 'env'>): boolean {
  const typed = argv.map((_, at) => valueAt(argv, at, '--color')).findLast((value) => value !== undefined)
  return typed !== 'never' && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

/** The value of an option when the word at this position is that option, with or without its value. */
function valueAt(words: readonly string[], at: number, long: string): string | undefined {
  const word = words[at] ?? ''
  if (word === long) return words[at + 1]
  return word.startsWith(`${long}=`) ? word.slice(long.length + 1) : undefined
}
