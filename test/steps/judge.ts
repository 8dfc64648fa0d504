/** Compares what svc recorded and said with what the service did. Each false claim is a line. */
import { readFileSync } from 'node:fs'
import { receiptsOf, type EndedRun, type Outcome, type Receipt } from '../../src/runs/engine.ts'
import { nameOf, type Runs, type WholeRun } from '../../src/runs/record.ts'
import { receiptsText, type Started } from './commands.ts'
import type { Service } from './service.ts'

const verbs: Readonly<Record<string, string>> = {
  'contacts.delete': 'deleted',
  'lists.add-contacts': 'added',
  'contacts.merge': 'merged',
  'tickets.assign': 'assigned',
}

/** Outcomes of which svc says that this run changed nothing. */
const unchanged: readonly Outcome[] = ['not-found', 'blocked', 'kept', 'error', 'not-attempted']

export function judge(runs: Runs, service: Service, started: readonly Started[]): string[] {
  const found: string[] = []
  for (const record of runs.list()) {
    const whole = runs.whole(record)
    const own = started.filter(({ run }) => run === record.id || run === nameOf(record))
    for (const receipt of receiptsOf(whole))
      found.push(...judgeReceipt(whole, receipt, own, service))
    for (const { receipts, ended } of own) {
      // Another run can have had this name before.
      const isWritten =
        ended?.record.id === record.id &&
        ended.notes.some((text) => String(text).startsWith(`wrote "${receipts}"`))
      if (isWritten && readFileSync(receipts ?? '', 'utf8') !== receiptsText(receiptsOf(whole)))
        found.push(`${nameOf(record)}: ${receipts} is not its receipts`)
    }
  }
  for (const { ended } of started) if (ended !== undefined) found.push(...judgeSummary(ended))
  return [...found, ...openTwice(runs)]
}

function judgeReceipt(
  { record }: WholeRun,
  { id, target = '', outcome }: Receipt,
  started: readonly Started[],
  service: Service,
): string[] {
  const { job } = record
  const isOwn = ({ process }: { process: Started['process'] }) =>
    started.some((each) => each.process === process)
  const kind = verbs[job.operation]
  const effects = service.effects.filter((each) => each.id === id && isOwn(each))
  const sent = service.departures.filter(
    (each) => isOwn(each) && each.isOpen && `${each.path}${each.body}`.includes(id),
  )
  const holders = service.holders.get(id) ?? []
  const isAssign = kind === 'assigned'
  // A contact that was added can be gone when the request is repeated.
  const isUnchanged = unchanged.includes(outcome) && !(kind === 'added' && outcome === 'not-found')
  const claims: readonly (readonly [boolean, string])[] = [
    [isUnchanged && effects.length > 0, 'but this run changed it'],
    [outcome === 'done' && isAssign && !holders.includes(target), 'but nobody assigned it'],
    [
      outcome === 'done' && (kind === 'deleted' || kind === 'merged') && effects.length === 0,
      'but this run did not change it',
    ],
    [outcome === 'done' && kind === 'added' && !service.wereMembers.has(id), 'but it never was'],
    [
      (outcome === 'not-found' || outcome === 'gone') && !service.wereAbsent.has(id),
      'but it was always there',
    ],
    [outcome === 'blocked' && !service.wereBlocked.has(id), 'but it is not blocked'],
    [outcome === 'kept' && holders.every((each) => each === job.expected?.id), 'but not kept'],
    [kind === 'merged' && sent.length > 1, `and was sent ${sent.length} times`],
    [effects.length > 1 && !isAssign, `and was changed ${effects.length} times`],
  ]
  return claims
    .filter(([isFalse]) => isFalse)
    .map(([, what]) => `${nameOf(record)}: ${id} is ${outcome}, ${what}`)
}

function judgeSummary({ record, summary }: EndedRun) {
  const { outcomes, due, exitCode, status, input } = summary
  const sum = Object.values(outcomes).reduce((total, count) => total + count, 0)
  const isDone = Object.keys(outcomes).join() === 'done'
  const claims: readonly (readonly [boolean, string])[] = [
    [sum !== input.unique, `outcomes of ${sum} ids, not ${input.unique}`],
    [exitCode === 0 && (due > 0 || !isDone), 'exit 0, but not all is done'],
    [exitCode === 3 && due > 0, 'exit 3 with something due'],
    [exitCode === 7 && due === 0, 'exit 7 with nothing due'],
    [status === 'complete' && !isDone, 'complete, but not all is done'],
    [due > 0 && record.closed !== null, 'closed, and something is due'],
  ]
  return claims
    .filter(([isFalse]) => isFalse)
    .map(([, what]) => `${nameOf(record)}: the summary says ${what}`)
}

/** Ids that are open in two runs, none of which is an add. */
function openTwice(runs: Runs): string[] {
  const seen = new Map<string, string>()
  const found: string[] = []
  for (const record of runs.list()) {
    const { job, closed } = record
    if (job.operation === 'lists.add-contacts' || closed !== null) continue
    for (const { items, isDue, outcomes } of runs.whole(record).batches)
      for (const { id, target } of items) {
        if (!isDue && !(job.isSentOnce && outcomes.includes('unknown'))) continue
        for (const each of job.isSentOnce ? [id, target ?? ''] : [id]) {
          const other = seen.get(each)
          if (other !== undefined && other !== record.id) found.push(`${each} is open in two runs`)
          seen.set(each, record.id)
        }
      }
  }
  return found
}

/** Whether the attempt of each id that leaves is in the record, unless its command has lost its turn. */
export function judgeDeparture(
  runs: Runs,
  { process, run = '' }: Started,
  ids: readonly string[],
): string[] {
  const record = runs.read(run)
  if (record === undefined || record.pid !== process.pid || record.working === 0) return []
  const receipts = Array.from(receiptsOf(runs.whole(record)))
  return ids.filter((id) => {
    const receipt = receipts.find((each) => each.id === id)
    return receipt !== undefined && receipt.outcome !== 'unknown'
  })
}
