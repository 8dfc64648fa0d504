/** What the build printed once, so that it needs no framework: the help of every command, and the tree of commands. */
import type { Host } from '../host.ts'
import { allowsColor } from './argv.ts'
import type { Tree } from './tree.ts'

/** The bytes of a file of the build, if there is one of that name; undefined in the sources. */
declare const asset: ((name: string) => Buffer | undefined) | undefined

/** The width in cells for which the help was printed. */
const builtWidth = 80

function built(name: string): string | undefined {
  return typeof asset === 'undefined' ? undefined : asset(name)?.toString()
}

/** The help of the command that the words name; undefined when the framework has to make it, or to say that there is none. */
export function builtPage(host: Host, words: readonly string[]): string | undefined {
  if ((host.columns() ?? builtWidth) < builtWidth) return undefined
  const page = built(`${['svc', ...words].join('.')}.help`)
  return page === undefined ? undefined : withHeadings(host, page)
}

/** The tree of commands; of nouns that are not among the words, where there are any, only what they are called. */
export function builtTree(words?: readonly string[]): Tree | undefined {
  const parsed = (name: string): Tree | undefined => {
    const text = built(`${name}.tree`)
    return text === undefined ? undefined : (JSON.parse(text) as Tree)
  }
  const tree = parsed('svc')
  const nounOf = (noun: Tree): Tree => (words?.includes(noun.name) === false ? noun : (parsed(noun.name) ?? noun))
  return tree === undefined ? undefined : { ...tree, commands: tree.commands.map(nounOf) }
}

/** A help text as it is shown: with bold headings where its stream is a terminal that may have colors. */
export function withHeadings(host: Host, text: string, stream: 'stdout' | 'stderr' = 'stdout'): string {
  if (!host.isTerminal[stream] || !allowsColor(host)) return text
  return text.replaceAll(/^(?:[A-Z].*:$|Usage:)/gm, '\u001b[1m$&\u001b[0m')
}
