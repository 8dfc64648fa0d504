/**
 * `svc plans show`: a plan in words and as data, for the people who review it. Somebody else wrote the file, and may want to
 * deceive. So each fact is made harmless and fits one line.
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

/** An item of a plan: an id, and of a pair its second party. Names and lists are read with `--who`. */
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
  examples: [
    'svc plans show old.plan',
    'svc plans show old.plan --limit all',
    'svc plans show old.plan --who --out review.xlsx',
  ],
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
    row: () => PlannedItem,
    id: ({ id }: PlannedItem) => id,
    schema: () => ShownPlan,
  },
  run: async (context, [path], { who = false }) => {
    const plan = readPlan(context.host, path)
    const { item, pairs } = operationOf(plan.line.operation)
    const { details, facts } = await describe(context, plan)
    // Tickets have no names.
    const hasNames = who && item === 'contact'
    const rows = hasNames ? await namedItems(context, plan) : itemsOf(plan)
    const items = rows.slice(0, context.print.rowLimit)
    const sides = plan.items.kind === 'pairs' ? (pairs?.columns ?? []) : []
    return {
      ...document({ ...facts, items }, rows, facts.isExpired ? exit.rejected : exit.done),
      columns: columnsOf(sides, hasNames),
      details,
      what: `${item}s`,
    }
  },
})

/** `sides`: what the two parties of a pair are. `hasNames`: names and lists were read. */
function columnsOf([first, second]: readonly string[], hasNames: boolean) {
  const id = first === undefined ? 'id' : `id as ${first.toUpperCase()}`
  const names = hasNames ? ['name'] : []
  const lists = hasNames ? ['lists'] : []
  if (second === undefined) return columnsFor(id, ...names, ...lists)
  const title = second.toUpperCase()
  const otherNames = hasNames ? [`otherName as ${title} NAME`] : []
  return columnsFor(id, ...names, `other:id as ${title}`, ...otherNames, ...lists)
}

/** The description of a plan: details of one line each, and the facts of the document. */
async function describe({ host, runs: openRuns, print }: Context, plan: Plan) {
  const { line, items, sha256 } = plan
  const { t: _, s: _s, i: _i, at: _at, ...document } = line
  const { operation, parameters, profile, plannedAt, expiresAt } = document
  const time = (text: string) => {
    const at = Date.parse(text)
    return `${exactTime(at, print.utc)} (${relativeTime(at, host.now())})`
  }
  const runs = await openRuns()
  const listed = await runs.look(runs.placeOf(planName(sha256)))
  const application = listed === undefined ? null : rowOf(listed)
  const problem = expiryProblem(line, host.now())
  let state = problem ?? 'ready to apply'
  if (application !== null) {
    const { run, status, endedAt, left } = application
    const end = endedAt === null ? '' : ` on ${time(endedAt)}`
    const rest = left === null || left === 0 ? '' : `, ${pluralize(left, 'id')} left`
    state = `applied${end} by run ${run}: ${status}${rest}`
  }
  const details = {
    Plan: titleOf(operation, items.size, parameters),
    State: state,
    Service: `${document.baseUrl}, key ${document.keyEnding}`,
    // Any name that the planner chose, in quotes that the name cannot close.
    Profile:
      profile === null ? 'credentials from the environment' : JSON.stringify(profile),
    With: conditionWords(parameters),
    Input: inputWords(document.input),
    'Planned by': `${actorWords(document.by)}, ${time(plannedAt)}`,
    Reason: document.reason ?? 'none given',
    Until: time(expiresAt),
    'SHA-256': sha256,
  }
  return {
    details,
    facts: {
      plan: sha256,
      state,
      isExpired: problem !== undefined,
      application,
      ...document,
    },
  }
}

function itemsOf({ items }: Plan): PlannedItem[] {
  return Array.from(items.ids, (id, position) => {
    return { id, other: items.at(position).other ?? null }
  })
}

/** The contacts of a plan with their names and lists, which are read from the service. */
async function namedItems(context: Context, plan: Plan): Promise<PlannedItem[]> {
  const rows = itemsOf(plan)
  const ids = rows.flatMap(({ id, other }) => [id, other ?? id])
  const meant = new Set(ids.map((id) => id.toLowerCase()))
  const source = { within: [], accept: {}, api: await context.api() }
  const people = await readPeople(source, ({ id }) => meant.has(id.toLowerCase()))
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
