/**
 * A plan in words and as data, for the people who review it. Somebody else wrote the plan file, and may want to deceive. So each fact is made harmless and
 * fits one line.
 */
import * as v from 'valibot'
import { fullName } from '../../api/names.ts'
import { readPeople } from '../../api/people.ts'
import { exactTime, relativeTime } from '../../output/text/time.ts'
import type { RunTools } from '../../runs/jobs/job.ts'
import type { Runs } from '../../runs/list.ts'
import { acceptableOf } from '../../runs/outcomes.ts'
import { actorWords } from '../../runs/summary.ts'
import { conditionWords, inputWords, titleOf } from '../../runs/telling/question.ts'
import { safe } from '../../safe-text.ts'
import { count, text, textOrNull } from '../../views/documents.ts'
import type { PlannedItem } from './view.ts'
import { groupDigits, joinOr } from '../../words.ts'
import { expiryProblem, type Plan } from './plan-file.ts'

const Application = v.object({
  run: text,
  startedAt: text,
  /** Null while it is being applied, and if its process died. */
  exitCode: v.nullable(count),
  /** How many ids were left when it ended. */
  left: v.nullable(count),
})

/** A plan without its items, and what is known about it here. */
export const ShownPlan = v.looseObject({
  /** SHA-256 of the file. */
  plan: text,
  /** Whether it can be applied, in words. */
  state: text,
  isExpired: v.boolean(),
  /** The run that applied it in this state folder. */
  application: v.nullable(Application),
  operation: text,
  baseUrl: text,
  profile: textOrNull,
  plannedAt: text,
  expiresAt: text,
})

type PlanFacts = readonly (readonly [name: string, value: string])[]

type DescribeTools = Pick<RunTools, 'host' | 'runs' | 'print'>

/** The description of a plan: its title, facts of one line each, and the document. */
export async function describePlan({ host, runs, print }: DescribeTools, plan: Plan) {
  const { t: _, s: _s, i: _i, at: _at, ...document } = plan.line
  const { operation, parameters, profile, reason, by, plannedAt, expiresAt } = document
  const time = (text: string): string => {
    const at = Date.parse(text)
    return `${exactTime(at, print.utc)} (${relativeTime(at, host.now())})`
  }
  const { application, words } = await applicationOf(await runs(), plan, time)
  const problem = expiryProblem(plan.line, host.now())
  const known = [words, problem].filter((each) => each !== undefined)
  const state = known.length === 0 ? 'it can be applied' : known.join('; ')
  // Any name that the planner chose, in quotes that the name cannot close.
  const profileWords =
    profile === null
      ? 'none: the planner had credentials in the environment'
      : JSON.stringify(profile)
  const condition = conditionWords(parameters)
  const unknown = acceptableOf(operation)
  const facts: PlanFacts = [
    ['State', state],
    ['Service', `${document.baseUrl}, key ${document.keyEnding}`],
    ['Profile', profileWords],
    ...row('With', condition ?? ''),
    ['Input', inputWords(document.input)],
    ...row(
      'Unknown',
      unknown.length === 0 ? '' : `how many of them are ${joinOr(unknown)}`,
    ),
    ['Planned by', `${actorWords(by)}, ${time(plannedAt)}`],
    ['Reason', reason ?? 'none was given'],
    ['Until', time(expiresAt)],
    ['SHA-256', plan.sha256],
  ]
  return {
    title: safe(titleOf(operation, plan.items.size, parameters)),
    facts: facts.map(([name, value]) => [name, safe(value)] as const),
    isExpired: problem !== undefined,
    document: {
      plan: plan.sha256,
      state,
      isExpired: problem !== undefined,
      application,
      ...document,
    },
  }
}

const row = (name: string, value: string): PlanFacts =>
  value === '' ? [] : [[name, value]]

/** The run by which a plan was applied in this state folder, and that in words. */
async function applicationOf(
  runs: Runs,
  { name }: Plan,
  time: (text: string) => string,
): Promise<{ application: v.InferOutput<typeof Application> | null; words?: string }> {
  const listed = await runs.look(runs.placeOf(name))
  if (listed === undefined) return { application: null }
  const { run, startedAt: began, endedAt, summary, holder } = listed
  if (summary === undefined) {
    const why = listed.problem ?? 'it is damaged'
    return { application: null, words: `it is not known whether it was applied: ${why}` }
  }
  const startedAt = new Date(began).toISOString()
  const hasEnded = holder === undefined && endedAt !== undefined
  const [exitCode, left] = hasEnded ? [summary.exitCode, summary.left] : [null, null]
  const ending = exitCode === null ? 'has no recorded end' : `ended with ${exitCode}`
  const rest =
    left === null || left === 0 ? '' : `, with ${groupDigits(left)} left to apply`
  return {
    application: { run, startedAt, exitCode, left },
    words:
      holder === undefined
        ? `it was applied on ${time(startedAt)} by run ${run}, which ${ending}${rest}`
        : `run ${run} has been applying it since ${time(startedAt)}`,
  }
}

/** The items of a plan as rows without names. */
export function itemsOf({ items }: Plan): PlannedItem[] {
  return Array.from({ length: items.size }, (_, position) => {
    const { id, other = null } = items.at(position)
    return {
      id,
      name: '',
      other,
      otherName: '',
      lists: [],
    }
  })
}

/** The same with the names and lists of contacts, which are read from the service. */
export async function namedItems(
  tools: Pick<RunTools, 'api' | 'warn'>,
  plan: Plan,
): Promise<PlannedItem[]> {
  const items = itemsOf(plan)
  const meant = new Set(items.flatMap(({ id, other }) => [id, other ?? id]).map(lower))
  const source = { within: [], accept: {}, warn: tools.warn, api: await tools.api() }
  const people = await readPeople(source, ({ id }) => meant.has(lower(id)))
  return items.map((item) => {
    const contact = people.find(item.id)
    const other = item.other === null ? undefined : people.find(item.other)
    return {
      ...item,
      name: contact === undefined ? '' : fullName(contact),
      otherName: other === undefined ? '' : fullName(other),
      lists: contact?.lists.map(({ name }) => name) ?? [],
    }
  })
}

const lower = (id: string): string => id.toLowerCase()
