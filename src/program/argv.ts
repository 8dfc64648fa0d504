/** What the words of a command line say before anything is known of commands and options. */
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
