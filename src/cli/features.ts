/** A feature as the core sees it: its additions, by what the core asks for. The core asks this table, never a feature. */
import type { FeatureParts } from './context.ts'
import type { Verb } from './verb.ts'
import type { Option } from '../options.ts'

export interface CommandRow {
  /** One line of help. */
  readonly summary: string
}

export interface NounRow extends CommandRow {
  readonly description?: string
  readonly examples: readonly string[]
}

export interface VerbRow extends CommandRow {
  readonly load: () => Promise<{ readonly verb: Verb }>
}

type Named<T> = Readonly<Record<string, T>>

/** An option of verbs of the core: of all that have the option `behind`, in the same group. */
export interface FeatureOption extends Option {
  readonly behind: string
}

export interface Features extends FeatureParts {
  readonly nouns: Named<NounRow>
  readonly verbs: Named<VerbRow>
  readonly options: Named<FeatureOption>
  /** Pages of `svc help <topic>`. */
  readonly topics: Named<() => Promise<{ readonly default: string }>>
}

export type Feature = Partial<Features>

/** All features as one. */
export function joinFeatures(features: Named<Feature>): Features {
  const all = Object.values(features)
  const join = <T>(partOf: (feature: Feature) => Named<T> | undefined): Named<T> =>
    Object.fromEntries(all.flatMap((feature) => Object.entries(partOf(feature) ?? {})))
  const planner = all.find(({ writePlan }) => writePlan !== undefined)
  return {
    ...planner,
    nouns: join(({ nouns }) => nouns),
    verbs: join(({ verbs }) => verbs),
    options: join(({ options }) => options),
    topics: join(({ topics }) => topics),
    readers: all.find(({ readers }) => readers !== undefined)?.readers ?? {},
    writers: all.find(({ writers }) => writers !== undefined)?.writers ?? {},
  }
}
