/** Words of a command line that are understood before anything is known of commands and options. */

/** Question of a shell on a tab. `isBrief`: only the newest of many names before a letter is typed. */
export interface Completion {
  readonly kind: 'complete'
  readonly words: readonly string[]
  readonly isBrief: boolean
}

type Shortcut = { readonly kind: 'version' } | Completion

/** Shortcuts that need neither the tree of commands nor a configuration: the version, what a shell asks on a tab, and svc itself. */
export function shortcutOf(words: readonly string[]): Shortcut | undefined {
  const [first, second = '', ...rest] = words
  if (first === '-V' || first === '--version' || (first === 'version' && words.length === 1)) return { kind: 'version' }
  if (first === '__complete') return { kind: 'complete', words: rest, isBrief: second === '--brief' }
  return undefined
}

export function isHelp(word: string): boolean {
  return word === '-h' || word === '--help'
}
