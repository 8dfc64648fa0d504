/**
 * A plan in words and as data, for the people who review it. Somebody else wrote the plan file, and may want to deceive. So each fact is made harmless and
 * fits one line.
 */
import * as v from 'valibot'
import { fullName } from '../../api/names.ts'
import { readPeople } from '../../api/people.ts'
import { rowOf } from '../../cli/recorded-runs.ts'
import { exactTime, relativeTime } from '../../output/text/time.ts'
import type { RunTools } from '../../runs/jobs/job.ts'
import { planName } from '../../runs/names.ts'
import { operationOf } from '../../runs/operations/operations.ts'
import { actorWords } from '../../runs/summary.ts'
import { conditionWords, inputWords, titleOf } from '../../runs/telling/question.ts'
import { safe } from '../../safe-text.ts'
import { Run, text, textOrNull } from '../../views/documents.ts'
import { pluralize } from '../../words.ts'
import { expiryProblem, type Plan } from './plan-file.ts'

/** An item of a plan: an id, and of a pair its second party. Names and lists are read with `--who`. */
export const PlannedItem = v.object({
  id: text,
  other: textOrNull,
  name: v.optional(text),
  otherName: v.optional(text),
  lists: v.optional(v.array(text)),
})
export type PlannedItem = v.InferOutput<typeof PlannedItem>

/** A plan, and what is known about it here. */
export const ShownPlan = v.looseObject({
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

/** The description of a plan: facts of one line each, and the document without its items. */
export async function describePlan(
  { host, runs: loadRuns, print }: Pick<RunTools, 'host' | 'runs' | 'print'>,
  { line, items, sha256 }: Plan,
) {
  const { t: _, s: _s, i: _i, at: _at, ...document } = line
  const { operation, parameters, profile, plannedAt, expiresAt } = document
  const time = (text: string): string => {
    const at = Date.parse(text)
    return `${exactTime(at, print.utc)} (${relativeTime(at, host.now())})`
  }
  const runs = await loadRuns()
  const listed = await runs.look(runs.placeOf(planName(sha256)))
  const application = listed === undefined ? null : rowOf(listed)
  const problem = expiryProblem(line, host.now())
  const state =
    application === null ? (problem ?? 'it can be applied') : stateWords(application, time)
  const condition = conditionWords(parameters)
  const facts = {
    Plan: titleOf(operation, items.size, parameters),
    State: state,
    Service: `${document.baseUrl}, key ${document.keyEnding}`,
    // Any name that the planner chose, in quotes that the name cannot close.
    Profile: profile === null ? 'credentials of the environment' : JSON.stringify(profile),
    ...(condition !== undefined && { With: condition }),
    Input: inputWords(document.input),
    'Planned by': `${actorWords(document.by)}, ${time(plannedAt)}`,
    Reason: document.reason ?? 'none was given',
    Until: time(expiresAt),
    'SHA-256': sha256,
  }
  const details = Object.entries(facts).map(([name, fact]) => [name, safe(fact)] as const)
  const isExpired = problem !== undefined
  return {
    details: Object.fromEntries(details),
    isExpired,
    document: { plan: sha256, state, isExpired, application, ...document },
  }
}

/** The run that applied a plan, in words. */
function stateWords(
  { run, status, endedAt, left }: v.InferOutput<typeof Run>,
  time: (text: string) => string,
): string {
  const end = endedAt === null ? '' : ` on ${time(endedAt)}`
  const rest = left === null || left === 0 ? '' : `, ${pluralize(left, 'id')} left`
  return `applied${end} by run ${run}: ${status}${rest}`
}

/** The items of a plan as rows. `isNamed`: with names and lists of contacts, which are read from the service. */
export async function itemsOf(
  { api, warn }: Pick<RunTools, 'api' | 'warn'>,
  { line, items }: Plan,
  isNamed: boolean,
): Promise<PlannedItem[]> {
  const rows = Array.from(items.ids, (id, position): PlannedItem => {
    return { id, other: items.at(position).other ?? null }
  })
  // Tickets have no names.
  if (!isNamed || operationOf(line.operation).item !== 'contact') return rows
  const ids = rows.flatMap(({ id, other }) => [id, other ?? id])
  const meant = new Set(ids.map((id) => id.toLowerCase()))
  const source = { within: [], accept: {}, warn, api: await api() }
  const people = await readPeople(source, ({ id }) => meant.has(id.toLowerCase()))
  const nameOf = (id: string): string => {
    const contact = people.find(id)
    return contact === undefined ? '' : fullName(contact)
  }
  return rows.map((row) => ({
    ...row,
    name: nameOf(row.id),
    otherName: row.other === null ? '' : nameOf(row.other),
    lists: people.find(row.id)?.lists.map(({ name }) => name) ?? [],
  }))
}
