/** The types of the table of commands, the walk through it, and the features as the program hands them down. */
import type { CommandRow, Feature, Features, NounRow, Verb, VerbRow } from '../cli/verb.ts'
import { features as rows } from '../features.ts'
import type { Option, TypedLine } from '../options.ts'

/** What all features add to one part of the core. */
function joined<Part extends object>(partOf: (feature: Feature) => Part | undefined): Part {
  return Object.assign({}, ...Object.values(rows).map(partOf)) as Part
}

/** All features as one. */
export const features: Features = {
  nouns: joined(({ nouns }) => nouns),
  verbs: joined(({ verbs }) => verbs),
  options: joined(({ options }) => options),
  topics: joined(({ topics }) => topics),
  readers: joined(({ readers }) => readers),
  writers: joined(({ writers }) => writers),
  plans: joined(({ plans }) => plans),
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
  const rows: Readonly<Record<string, CommandRow>> = { ...nouns, ...verbs }
  return Object.entries(rows).flatMap(([words, row]): [string, CommandRow][] => {
    const end = words.lastIndexOf(' ')
    const above = words.slice(0, Math.max(0, end))
    return above === path ? [[words.slice(end + 1), row]] : []
  })
}

/** A row whose verb has the options of features too. */
export function withFeatures({ load, summary }: VerbRow): VerbRow {
  return {
    summary,
    async load() {
      const { verb } = await load()
      const options = Object.entries(verb.options ?? {}).flatMap(([key, option]) => [
        [key, option] as const,
        ...optionsAfter(key, option),
      ])
      return { verb: { ...verb, options: Object.fromEntries(options) } }
    },
  }
}

/** The options that features add behind this option, in its group. */
function optionsAfter(key: string, { group }: Option): [string, Option][] {
  return Object.entries(features.options).flatMap(
    ([name, { after, ...option }]): [string, Option][] =>
      after === key ? [[name, { ...option, group }]] : [],
  )
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
