/**
 * `svc plans show`: a plan in words and as data, for the people who review it. Somebody else wrote the file, and may want to
 * deceive them. So each fact has one line, and the output makes all texts of the file safe.
 */
import * as v from 'valibot'
import { fullName } from '../../../api/names.ts'
import { readPeople } from '../../../api/people.ts'
import type { Context } from '../../../cli/context.ts'
import { limitOption } from '../../../cli/global-options.ts'
import { rowOf } from '../../../cli/recorded-runs.ts'
import { defineVerb } from '../../../cli/verb.ts'
import { exit } from '../../../errors.ts'
import { columnsFor, document } from '../../../output/result.ts'
import { exactTime, relativeTime } from '../../../output/text/time.ts'
import { planName } from '../../../runs/names.ts'
import { operationOf } from '../../../runs/operations/operations.ts'
import { actorWords } from '../../../runs/summary.ts'
import { conditionWords, inputWords, titleOf } from '../../../runs/telling/question.ts'
import { Run, text, textOrNull } from '../../../views/documents.ts'
import { pluralize } from '../../../words.ts'
import { expiryProblem, readPlan, type Plan } from '../plan-file.ts'

/** An item of a plan: an id, or a pair of ids. `--who` adds names and lists. */
const PlannedItem = v.object({
  id: text,
  other: textOrNull,
  name: v.optional(text),
  otherName: v.optional(text),
  lists: v.optional(v.array(text)),
})
type PlannedItem = v.InferOutput<typeof PlannedItem>

/** A plan, and what is known about it here. */
const ShownPlan = v.looseObject({
  /** SHA-256 of the file. */
  plan: text,
  /** Whether it can be applied, in words. */
  state: text,
  isExpired: v.boolean(),
  /** The run that applied it in this state folder. */
  application: v.nullable(Run),
  operation: text,
  baseUrl: text,
  profile: textOrNull,
  plannedAt: text,
  expiresAt: text,
  items: v.array(PlannedItem),
})

export const verb = defineVerb({
  description:
    'Show what a plan would do: on which service, to how many, who planned it and ' +
    'why, when it expires, its SHA-256, and whether it was applied in this state ' +
    'folder. Then show every contact or ticket; --who adds the names and lists that ' +
    'the service has. For a damaged or expired plan the exit code is 6.',
  examples: ['svc plans show old.plan', 'svc plans show old.plan --who --out review.xlsx'],
  arguments: [
    {
      name: 'plan',
      takes: 'file',
      summary: 'the file that --plan wrote',
      isRequired: true,
    },
  ],
  options: {
    ...limitOption,
    who: { summary: 'read names and lists of contacts from the service' },
  },
  effect: 'reads',
  shows: {
    columns: columnsOf(['source', 'target'], true),
    isDocument: true,
    rowSchema: () => PlannedItem,
    id: ({ id }: PlannedItem) => id,
    schema: () => ShownPlan,
  },
  run: async (context, [path], { who = false }) => {
    const plan = readPlan(context.host, path)
    const { item, pairs } = operationOf(plan.line.operation)
    const facts = await factsOf(context, plan)
    // Tickets have no names.
    const hasNames = who && item === 'contact'
    const rows = hasNames ? await namedItems(context, plan) : itemsOf(plan)
    const items = rows.slice(0, context.print.rowLimit)
    const sides = plan.items.kind === 'pairs' ? (pairs?.columns ?? []) : []
    return {
      ...document({ ...facts, items }, rows, facts.isExpired ? exit.rejected : exit.done),
      columns: columnsOf(sides, hasNames),
      details: detailsOf(context, plan, facts.state),
      what: `${item}s`,
      isCutWhenShown: true,
    }
  },
})

/** The columns of ids, or of pairs with these sides. `hasNames`: names and lists were read. */
function columnsOf([side = 'id', otherSide]: readonly string[], hasNames: boolean) {
  const columns = [`id as ${side.toUpperCase()}`]
  if (hasNames) columns.push('name')
  const title = otherSide?.toUpperCase()
  if (title !== undefined) columns.push(`other:id as ${title}`)
  if (title !== undefined && hasNames) columns.push(`otherName as ${title} NAME`)
  if (hasNames) columns.push('lists')
  return columnsFor(...columns)
}

/** The facts of a plan, and what is known of it here. */
async function factsOf(context: Context, { line, sha256 }: Plan) {
  const { t: _, s: _s, i: _i, at: _at, ...document } = line
  const runs = await context.runs()
  const listed = await runs.look(runs.placeOf(planName(sha256)))
  const application = listed === undefined ? null : rowOf(listed)
  const problem = expiryProblem(line, context.host.now())
  const state =
    application === null
      ? (problem ?? 'ready to apply')
      : applicationWords(context, application)
  return { plan: sha256, state, isExpired: problem !== undefined, application, ...document }
}

function applicationWords(context: Context, { run, status, endedAt, left }: Run) {
  const end = endedAt === null ? '' : ` on ${timeWords(context, endedAt)}`
  const rest = left === null || left === 0 ? '' : `, ${pluralize(left, 'id')} left`
  return `applied${end} by run ${run}: ${status}${rest}`
}

function timeWords({ host }: Context, text: string) {
  const at = Date.parse(text)
  return `${exactTime(at)} (${relativeTime(at, host.now())})`
}

/** The description of a plan, each fact on one line. */
function detailsOf(context: Context, { line, items, sha256 }: Plan, state: string) {
  const { operation, parameters, profile, by, plannedAt, expiresAt } = line
  return {
    Plan: titleOf(operation, items.size, parameters),
    State: state,
    Service: `${line.baseUrl}, key ${line.keyEnding}`,
    // Any name that the planner chose, in quotes that the name cannot close.
    Profile:
      profile === null ? 'credentials from the environment' : JSON.stringify(profile),
    With: conditionWords(parameters),
    Input: inputWords(line.input),
    'Planned by': `${actorWords(by)}, ${timeWords(context, plannedAt)}`,
    Reason: line.reason ?? 'none given',
    Until: timeWords(context, expiresAt),
    'SHA-256': sha256,
  }
}

function itemsOf({ items }: Plan): PlannedItem[] {
  return Array.from(items.ids, (id, position) => {
    return { id, other: items.at(position).other ?? null }
  })
}

/** The contacts of a plan, with the names and lists that the service has. */
async function namedItems(context: Context, plan: Plan): Promise<PlannedItem[]> {
  const rows = itemsOf(plan)
  const ids = rows.flatMap(({ id, other }) => [id, other])
  const wanted = new Set(ids.map((id) => id?.toLowerCase()))
  const source = { within: [], acceptNear: {}, api: await context.api() }
  const people = await readPeople(source, ({ id }) => wanted.has(id.toLowerCase()))
  const nameOf = (id: string | null) => {
    const contact = people.find(id ?? '')
    return contact === undefined ? '' : fullName(contact)
  }
  return rows.map((row) => ({
    ...row,
    name: nameOf(row.id),
    otherName: nameOf(row.other),
    lists: people.find(row.id)?.lists.map(({ name }) => name) ?? [],
  }))
}
