/** The types of the table of commands, the walk through it, and the features as the program hands them down. */
import type {
  CommandRow,
  FeatureOption,
  Features,
  Named,
  NounRow,
  Verb,
  VerbRow,
} from '../cli/verb.ts'
import { features as rows } from '../features.ts'
import type { Option, TypedLine } from '../options.ts'

const all = Object.values(rows)

/** A table of all features together. */
function join<T>(tables: readonly (Named<T> | undefined)[]): Named<T> {
  return Object.fromEntries(tables.flatMap((table = {}) => Object.entries(table)))
}

/** All features as one. */
export const features: Features = {
  ...all.find(({ writePlan }) => writePlan !== undefined),
  nouns: join(all.map(({ nouns }) => nouns)),
  verbs: join(all.map(({ verbs }) => verbs)),
  options: join(all.map(({ options }) => options)),
  topics: join(all.map(({ topics }) => topics)),
  readers: all.find(({ readers }) => readers !== undefined)?.readers ?? {},
  writers: all.find(({ writers }) => writers !== undefined)?.writers ?? {},
}

/** The table of commands, in the order of the help. */
export interface Commands {
  /** A noun groups verbs and does nothing itself. */
  nouns: Record<string, NounRow>
  /** By the words after `svc`: `lists list`. */
  verbs: Record<string, VerbRow>
}

/** The nouns and verbs that can follow a path, by their names. */
export function namesBelow(
  { nouns, verbs }: Commands,
  path: string,
): [name: string, row: CommandRow][] {
  const prefix = path === '' ? '' : `${path} `
  const rows: Readonly<Record<string, CommandRow>> =
    path === '' ? { ...nouns, ...verbs } : verbs
  return Object.entries(rows).flatMap(([each, row]): [string, CommandRow][] => {
    const name = each.startsWith(prefix) ? each.slice(prefix.length) : ' '
    return name.includes(' ') ? [] : [[name, row]]
  })
}

/** The verb of a row with the options of features. */
export function withOptions(
  { load, summary }: VerbRow,
  options: Readonly<Record<string, FeatureOption>>,
): VerbRow {
  const optionsAfter = (key: string, { group }: Option): [string, Option][] =>
    Object.entries(options).flatMap(([name, { after: place, ...option }]) =>
      place === key ? [[name, group === undefined ? option : { ...option, group }]] : [],
    )
  return {
    summary,
    async load() {
      const { verb } = await load()
      const all = Object.entries(verb.options ?? {}).flatMap(([key, option]) => [
        [key, option] as const,
        ...optionsAfter(key, option),
      ])
      return { verb: { ...verb, options: Object.fromEntries(all) } }
    },
  }
}

/** A verb with the values of its words. */
export interface Call {
  kind: 'call'
  verb: Verb
  line: TypedLine
  arguments: readonly unknown[]
  /** Its own options, by key. */
  options: Record<string, unknown>
  /** Its own and the global ones. */
  allOptions: Record<string, unknown>
}
