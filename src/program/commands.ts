/** The types of the table of commands, and the walk through it. */
import type { TypedLine } from '../cli/options.ts'
import type { Verb } from '../cli/verb.ts'

/** The table of commands, in the order of the help. */
export interface Commands {
  /** A noun groups verbs and does nothing itself. */
  readonly nouns: Readonly<Record<string, NounRow>>
  /** By the words after `svc`: `lists list`. */
  readonly verbs: Readonly<Record<string, VerbRow>>
}

interface Row {
  /** One line of help. */
  readonly summary: string
}

interface NounRow extends Row {
  readonly description?: string
  readonly examples: readonly string[]
}

interface VerbRow extends Row {
  readonly load: () => Promise<{ readonly verb: Verb }>
}

/** The nouns and verbs that can follow a path, by their names. */
export function namesBelow(
  { nouns, verbs }: Commands,
  path: string,
): [name: string, row: Row][] {
  const prefix = path === '' ? '' : `${path} `
  const rows: Readonly<Record<string, Row>> = path === '' ? { ...nouns, ...verbs } : verbs
  return Object.entries(rows).flatMap(([each, row]): [string, Row][] => {
    const name = each.startsWith(prefix) ? each.slice(prefix.length) : ' '
    return name.includes(' ') ? [] : [[name, row]]
  })
}

/** A verb with the values of its words. */
export interface Call {
  readonly kind: 'call'
  readonly verb: Verb
  readonly line: TypedLine
  readonly arguments: readonly unknown[]
  /** Its own options, by key. */
  readonly options: Readonly<Record<string, unknown>>
  /** Its own and the global ones. */
  readonly allOptions: Readonly<Record<string, unknown>>
}
