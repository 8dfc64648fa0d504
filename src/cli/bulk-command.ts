/**
 * A bulk run as verbs start it, and a verb of a bulk operation: arguments, options, effect, views and action, all from what the operation
 * says of itself. Called by `plans apply`, the verbs of `runs` that send, and the files of those verbs: `commands/contacts/delete.ts` and `merge.ts`, `commands/lists/add-contacts.ts`, `commands/tickets/assign.ts`.
 */
import { endOf, type BulkOperation } from '../api/operations.ts'
import type { ParameterValues } from '../bulk/record/header.ts'
import type { OneChange, OneEnding } from '../bulk/job.ts'
import type { Start } from '../bulk/session.ts'
import { labelOf, type KeyedSlot } from '../bulk/operations/operation.ts'
import { columnSlot, operationOf, slotsOfOperation } from '../bulk/operations/operations.ts'
import { usageError, type SvcError } from '../errors.ts'
import type { Output, RunOutput, View } from '../output/result.ts'
import { outcomeViewOf } from '../views/bulk.ts'
import {
  bulkOptions,
  maxDeleteOption,
  refuseRunOptions,
  whoOption,
} from './bulk-options.ts'
import { defineVerb, type Argument, type Verb } from './verb.ts'
import type { Option, Options, OptionValues } from './options.ts'
import type { Context } from './context.ts'

/** Reads, asks, records and sends. With `--plan` or `--dry-run` nothing is sent, and the result is a plan file or a description of the run. */
export async function startBulk(context: Context, start: Start): Promise<RunOutput> {
  const { startSession } = await import('../bulk/session.ts')
  return startSession(context, start)
}

interface BulkVerb {
  readonly operation: BulkOperation
  readonly description?: string
  readonly examples: readonly string[]
}

/** The form of a verb for one thing that the command line names. */
export interface OneForm<T> {
  readonly argument: Argument
  /** The error if the thing, or its second party, is missing. */
  readonly missing: SvcError
  readonly shows: View<T> & Required<Pick<View<T>, 'schema'>>
  /** Throws exit 2 for an invalid id, or if nothing would change. */
  readonly parse: (text: string, target: string | undefined) => string
  readonly begin: (context: Context, change: NamedChange) => OneWork<T>
}

/** An id, and what it is changed to as it was typed. */
interface NamedChange {
  readonly id: string
  readonly target: string | undefined
}

/** The change of one thing: its question, its checks, and how the result is shown. */
export interface OneWork<T> extends Pick<OneChange, 'question'> {
  readonly preview: (parameters: ParameterValues) => Promise<Output<T>> | Output<T>
  /**
   * `answer`: the whole last answer, if one came in this session, because a run keeps only what its claims need. Throws exit 5, 6 and 7 unless the
   * change is known to be made.
   */
  readonly show: (ending: OneEnding, answer: unknown) => Promise<Output<T>> | Output<T>
}

type Typed = OptionValues<ReturnType<typeof bulkOptions>>

/** The verb for ids, from arguments and files. */
export function defineBulkVerb(verb: BulkVerb): Verb {
  const { operation } = verb
  const { shared, view } = partsOf(verb)
  const ids = {
    name: 'id',
    takes: operationOf(operation).items.kind,
    summary: `${operationOf(operation).items.kind} ids; - for standard input`,
    isVariadic: true,
  } as const
  const parties = slotsOfOperation(operation).filter(({ place }) => place === 'argument')
  return defineVerb({
    ...shared,
    arguments: [...parties.map(argumentOf), ids],
    shows: view,
    run: (context, words: readonly (string | readonly string[] | undefined)[], options) => {
      const more = Object.fromEntries(parties.map(({ key }, place) => [key, words[place]]))
      const given = words[parties.length]
      return startBulk(
        context,
        startOf(operation, Array.isArray(given) ? given : [], options, more),
      )
    },
  })
}

const argumentOf = ({ key, kind, summary }: KeyedSlot) =>
  ({ name: key, ...(kind !== 'flag' && { takes: kind }), summary }) as const

/** The verb for one thing, or for a file of them. */
export function definePairVerb<T>(verb: BulkVerb, one: OneForm<T>): Verb {
  const { operation } = verb
  const { shared, view } = partsOf(verb)
  const target = columnSlot(operation)
  return defineVerb({
    ...shared,
    arguments: [one.argument],
    shows: { ...one.shows, schema: () => pairSchema(one.shows) },
    bulkShows: view,
    run: (context, [thing], options) => {
      const typedTarget = target && textIn(options, target.key)
      if (options.file.length === 0)
        return changeOne(context, operation, one, { thing, options, target: typedTarget })
      const isForOne = target?.isPerItem === true && typedTarget !== undefined
      if (thing !== undefined || isForOne) {
        const others = target?.isPerItem === true ? ` or ${labelOf(target)}` : ''
        throw usageError(`--file cannot be used with a ${one.argument.name}${others}`)
      }
      return startBulk(context, startOf(operation, [], options))
    },
  })
}

const summarySchema = async () =>
  (await import('../bulk/outcomes/summary-document.ts')).SummaryDocument

/** The JSON of one change, of a file of them, and of a dry run of one. */
async function pairSchema<T>({ schema }: OneForm<T>['shows']) {
  const { changeDocument } = await import('../bulk/outcomes/summary-document.ts')
  return changeDocument(await schema())
}

function partsOf({ operation, ...description }: BulkVerb) {
  const { items, assignees } = operationOf(operation)
  const rows = slotsOfOperation(operation).filter(({ place }) => place !== 'argument')
  const options: ReturnType<typeof bulkOptions> = {
    ...bulkOptions(operation),
    ...(items.kind === 'contact' ? whoOption : {}),
    ...optionsOf(rows),
    ...(endOf(operation) === 'deleted' ? maxDeleteOption : {}),
  }
  return {
    shared: { ...description, options, effect: operation },
    view: { ...outcomeViewOf(assignees !== undefined), schema: summarySchema },
  }
}

function optionsOf(rows: readonly KeyedSlot[]): Options {
  const optionFor = ({ kind, value = kind, summary }: KeyedSlot): Option =>
    kind === 'flag' ? { summary } : { value, takes: kind, summary }
  return Object.fromEntries(rows.map((row) => [row.key, optionFor(row)]))
}

/** The values of a line by the names of arguments and options, which the types of a verb do not name. */
type Values = Readonly<Record<string, unknown>>

function textIn(values: Values, key: string): string | undefined {
  const value = values[key]
  return typeof value === 'string' ? value : undefined
}

/** The start of a run from the typed values. `more`: parameters that are arguments. */
function startOf(
  operation: BulkOperation,
  ids: readonly string[],
  options: Typed,
  more: Values = {},
) {
  const values: Values = { ...options, ...more }
  const parameters = Object.fromEntries(
    slotsOfOperation(operation).map(({ key }) => [
      key,
      values[key] === true || textIn(values, key),
    ]),
  )
  return { kind: 'new', operation, ids, options, parameters } as const
}

async function changeOne<T>(
  context: Context,
  operation: BulkOperation,
  { missing, parse, begin }: OneForm<T>,
  typed: {
    readonly thing: string | undefined
    readonly target: string | undefined
    readonly options: Typed
  },
): Promise<Output<T>> {
  const { thing, target, options } = typed
  const isWhole = columnSlot(operation)?.isPerItem !== true || target !== undefined
  if (thing === undefined || !isWhole) {
    throw missing
  }
  refuseRunOptions(operation, options)
  const id = parse(thing, target)
  const work = begin(context, { id, target })
  let answer: unknown
  const watch: OneChange['watch'] = (api) => ({
    ...api,
    send: async (...request) => (answer = await api.send(...request)),
  })
  const one = { ...work, missing, watch }
  const { changeOne: changeThing } = await import('../bulk/session.ts')
  const ending = await changeThing(context, { ...startOf(operation, [id], options), one })
  return ending.kind === 'preview'
    ? work.preview(ending.parameters)
    : work.show(ending, answer)
}
