/**
 * Words of a command line that are understood before anything is known of commands and options. `main.ts` asks for `--version` and
 * completion by it, and `command-line.ts` which words are no options.
 */

/** Question of a shell on a tab. `isBrief`: only the newest of many names before a letter is typed. */
export interface Completion {
  readonly kind: 'complete'
  readonly words: readonly string[]
  readonly isBrief: boolean
}

type Shortcut = { readonly kind: 'version' } | { readonly kind: 'help' } | Completion

/** Shortcuts that need no options to be known: the version, the help of the command that the words name, and what a shell asks on a tab. */
export function shortcutOf(words: readonly string[]): Shortcut | undefined {
  const [first, second = '', ...rest] = words
  if (first === '-V' || first === '--version' || (first === 'version' && words.length === 1))
    return { kind: 'version' }
  if (first === '__complete')
    return { kind: 'complete', words: rest, isBrief: second === '--brief' }
  const others = words.filter((word) => !isHelp(word))
  const isHelpAlone =
    others.length < words.length && others.every((word) => isOperand(word) || word === '--all')
  return words.length === 0 || isHelpAlone ? { kind: 'help' } : undefined
}

/** A dash alone is standard input. */
export function isOperand(word: string): boolean {
  return !word.startsWith('-') || word === '-'
}

export function isHelp(word: string): boolean {
  return word === '-h' || word === '--help'
}
