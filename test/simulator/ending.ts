/** How a session ends: claims about its summary, and about what it sent, from the description and from what the process was told. */
import { operationOf } from '../../src/runs/operations/operations.ts'
import { figuresOf, idArraysOf, isDone } from '../../src/runs/outcomes.ts'
import { isWrite, type RunFacts } from './facts.ts'
import type { Receipt, Summary } from './printed.ts'
import type { SimulatedProcess } from './process.ts'
import type { Sent } from './service.ts'

export interface Ending {
  readonly process: SimulatedProcess
  readonly summary: Summary
  readonly facts: RunFacts
  /** It worked on the run; others only show it. */
  readonly isSession: boolean
  /** One for each id; undefined where it has not printed all of them. */
  readonly receipts: readonly Receipt[] | undefined
  /** Outcomes that its command line accepts. */
  readonly accepted: readonly string[]
}

/** What is wrong with it, in words. */
type Claim = (ending: Ending) => string | undefined

const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const retryable: readonly number[] = [7, 10, 11, ...Object.values(signalCodes)]
const isGood = ({ status = 0 }: Sent) => status >= 200 && status < 300
const isPart = (ids: readonly string[], all: readonly string[]) =>
  ids.every((id) => all.includes(id))
const keyOf = ({ operation, ids }: Sent) => `${operation} ${ids.join()}`

/** Three sessions sent something: an answer that is always the same may end the run with 3. */
const isTriedThrice = ({ processes }: RunFacts) =>
  processes.filter(({ attempts }) => attempts.some(isWrite)).length >= 3

/** Whether every id is as asked or accepted; undefined where it is not known whether the contacts that are gone ever existed. */
function isAccepted({ summary, facts, accepted }: Ending): boolean | undefined {
  const { result, input } = summary
  const isPart = facts.job.undoes !== undefined && (input.leftOut ?? 0) > 0
  const there = figuresOf(facts.job.operation).filter(({ name }) => (result[name] ?? 0) > 0)
  const isAll = there.every(({ outcome }) => isDone(outcome) || accepted.includes(outcome))
  if (!isAll || isPart) return false
  const gone = there.some(({ name }) => name === 'gone') && result['deleted'] === 0
  if (!gone) return true
  if (!facts.isCalm) return undefined
  // Answers other than a 5xx that were lost: the contacts may have been there.
  const { goneIds } = summary as { readonly goneIds?: readonly string[] | null }
  return goneIds?.some((id) =>
    facts
      .writesOf(id.toLowerCase())
      .some(({ told, status = 0 }) => told === 'lost' && status < 500),
  )
}

/** Surface, section 10, "When several apply". `canRepeat`: a repetition can do something. */
function codeOf(ending: Ending, canRepeat: boolean): number | undefined {
  const { process, summary } = ending
  const { stopReason, result, errors } = summary
  const refused = errors.filter(({ outcome }) => outcome !== 'unknown')
  const has = (status: number) => refused.some(({ httpStatus }) => httpStatus === status)
  const isLost = refused.some(
    ({ httpStatus, message }) =>
      (httpStatus ?? 500) >= 500 && message?.includes('could not be read') !== true,
  )
  const isUnavailable = has(429) || has(408) || isLost || (result['unknown'] ?? 0) > 0
  const accepted = isAccepted(ending)
  const ladder = [
    [stopReason === 'signal', signalCodes[process.signal ?? 'SIGINT']],
    [canRepeat && (isUnavailable || stopReason === 'retry-after'), 7],
    [stopReason === 'journal', 10],
    [stopReason === 'auth' || has(401), 4],
    [stopReason === 'forbidden' || has(403), 5],
    [stopReason === 'refused', 6],
    [canRepeat, 7],
    [accepted !== undefined, accepted === true ? 0 : 3],
  ] as const
  return ladder.find(([applies]) => applies)?.[1]
}

const codeFollows: Claim = (ending) => {
  const { summary, facts, isSession } = ending
  const { exitCode, left, stopReason, result } = summary
  // A file that cannot be written, or a signal that only the session knows.
  if (exitCode === 10 || (stopReason === 'signal' && !isSession)) return undefined
  const codes = [codeOf(ending, left > 0)]
  if (isTriedThrice(facts)) codes.push(codeOf(ending, false))
  // An answer about a part was cut, and counts as lost, or it makes no sense, and nothing changes that.
  const isUnclear = summary.errors.some(
    ({ outcome, httpStatus }) => outcome === 'undetermined' && httpStatus === 200,
  )
  if (isUnclear && left > 0) codes.push(7)
  if (codes.includes(undefined) || codes.includes(exitCode)) return undefined
  return `exit ${exitCode}, not ${codes.join(' or ')}: ${stopReason}, ${left} left, ${JSON.stringify(result)}`
}

const statusFollows: Claim = ({ summary, isSession }) => {
  const { status, stopReason, exitCode, retry, left, resume } = summary
  if (retry !== retryable.includes(exitCode)) return `exit ${exitCode}, and retry is ${retry}`
  if ((resume === null) !== (left === 0)) return `${left} are left, and resume is ${resume}`
  // A process that died has told no reason.
  if (!isSession && status === 'interrupted') return undefined
  const ended = exitCode === 0 ? 'complete' : 'partial'
  const stopped = stopReason === 'signal' ? 'interrupted' : 'stopped'
  if (status === (stopReason === null ? ended : stopped)) return undefined
  return `it is ${status}, with exit ${exitCode}, stopped by ${stopReason}`
}

const isSentAgain = ({ outcome, httpStatus }: Summary['errors'][number]): boolean => {
  const isRefused = httpStatus !== null && httpStatus < 500 && httpStatus !== 408
  if (isRefused || outcome === 'error') return [401, 403, 429].includes(httpStatus ?? 0)
  return true
}

/** What was never sent is left, and what the key, the pace or a lost answer ended; at most what is not done. */
const leftFollows: Claim = ({ summary: { left, result, errors }, facts }) => {
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (result[name] ?? 0), 0)
  const most = count('notAttempted', 'undetermined', 'unknown', 'error')
  const again = errors.filter(
    (row) => row.outcome === 'error' || operationOf(facts.job.operation).pairs === undefined,
  )
  const rows = again.filter((row) => row.outcome !== 'undetermined' && isSentAgain(row))
  const least = rows.reduce((sum, row) => sum + row.count, count('notAttempted'))
  if (left >= least && left <= most) return undefined
  return `${left} are left, not ${least} to ${most}: ${JSON.stringify({ result, errors })}`
}

/** A row of errors tells the answer to the last attempt at its batch. */
const errorsAreTold: Claim = ({ summary, receipts, facts }) => {
  if (receipts === undefined || !facts.isCalm) return undefined
  const attempts = facts.processes
    .flatMap((process) => process.attempts.filter(isWrite))
    .sort((one, other) => (one.toldAt ?? 0) - (other.toldAt ?? 0))
  const wrong = summary.errors.find(({ batch, httpStatus }) => {
    const ids = receipts.filter((each) => each.batch === batch).map(({ id }) => id.toLowerCase())
    const last = attempts.findLast((sent) => isPart(sent.ids, ids))
    return httpStatus !== (last?.status ?? null)
  })
  return wrong && `no answer was ${JSON.stringify(wrong)}`
}

/** Each batch that failed has a row, and the rows have all ids that failed. */
const errorsAreWhole: Claim = ({ summary: { errors, errorsTotal, batches, result }, receipts }) => {
  const numbers = new Set(errors.map(({ batch }) => batch))
  if (errorsTotal !== batches.failed || errors.length !== errorsTotal || numbers.size < errorsTotal)
    return `${batches.failed} batches failed, ${errors.length} rows of ${errorsTotal}`
  for (const outcome of ['error', 'unknown']) {
    const rows = errors.filter((row) => row.outcome === outcome)
    const count = rows.reduce((sum, row) => sum + row.count, 0)
    if (count !== result[outcome]) return `rows of ${count} ids for ${result[outcome]} ${outcome}`
  }
  const wrong = errors.find(({ batch, outcome, count }) => {
    const own = receipts?.filter((receipt) => receipt.batch === batch)
    return own !== undefined && own.filter((each) => each.outcome === outcome).length !== count
  })
  return wrong && `a row that is not in the receipts: ${JSON.stringify(wrong)}`
}

/** Batches and lists of ids are those of the receipts. */
const receiptsAgree: Claim = ({ summary, receipts, facts }) => {
  if (receipts === undefined) return undefined
  const { total, done, failed, retried } = summary.batches
  const numbers = (own: readonly Receipt[]) => new Set(own.map(({ batch }) => batch)).size
  const unsent = receipts.filter(({ outcome }) => outcome === 'not-attempted')
  const again = numbers(receipts.filter(({ attempts = 0 }) => attempts > 1))
  const isCounted = numbers(receipts) === total && total - done - failed === numbers(unsent)
  if (!isCounted || retried > again)
    return `receipts of ${numbers(receipts)} batches, ${numbers(unsent)} unsent, ${again} retried: ${JSON.stringify(summary.batches)}`
  const members = summary as unknown as Readonly<Record<string, readonly string[] | null>>
  for (const [array, outcome] of idArraysOf(facts.job.operation)) {
    const own = receipts.filter((receipt) => receipt.outcome === outcome).map(({ id }) => id)
    if (members[array]?.toSorted().join() !== own.sort().join())
      return `${array} is ${members[array]?.join()}, and the receipts have ${own.join()}`
  }
  return undefined
}

/** An answer that may stop a run. `isSure`: it does. */
interface Stop {
  readonly reason: string
  readonly at: number
  readonly status: number
  readonly isSure: boolean
}

/** Seconds. */
function mostToWait({ argv }: SimulatedProcess): number {
  const text = argv[argv.indexOf('--wait') + 1] ?? ''
  const [, number, unit] = /^(\d+)(m?s)$/.exec(text) ?? []
  return number === undefined ? 30 : Number(number) / (unit === 's' ? 1 : 1000)
}

/** The ends of a session's batches, and what each may stop, in the order in which they came. */
function stopsOf({ process, facts }: Pick<Ending, 'process' | 'facts'>): Stop[] {
  const { operation } = facts.job
  const isOfPairs = operationOf(operation).pairs !== undefined
  const told = process.attempts
    .filter(({ ids, toldAt }) => ids.length > 0 && toldAt !== undefined)
    .sort((one, other) => (one.toldAt ?? 0) - (other.toldAt ?? 0))
  const failures = { sure: 0, possible: 0 }
  // Parts of a batch end with the last of them: their batch was sent whole before.
  const wholeOf = (ids: readonly string[]) =>
    facts.requests.reduce(
      (whole, each) => (each.ids.length > whole.length && isPart(ids, each.ids) ? each.ids : whole),
      ids,
    )
  return told.flatMap((sent, n) => {
    const { status = 0, retryAfter = NaN, toldAt: at = 0 } = sent
    const isRefused = sent.told === 'refused'
    if (isRefused && isOfPairs && ![401, 403, 429].includes(status)) return []
    const whole = wholeOf(sent.ids)
    const isEnd = isWrite(sent) && !told.slice(n + 1).some(({ ids }) => isPart(ids, whole))
    const isNonsense = sent.told === 'lost' && isGood(sent)
    if (sent.told !== 'answered') failures.possible += 1
    if (isEnd) failures.sure = sent.told === 'answered' || isNonsense ? 0 : failures.sure + 1
    const before = facts.requests.filter(({ toldAt = Infinity }) => toldAt <= at)
    const isFirst = !facts.isCalm || !before.some((each) => each.told === 'answered')
    const isWrong = isRefused && !isOfPairs && [400, 404].includes(status)
    const isThird = failures.sure >= 3 && operation !== 'tickets.assign'
    const stops = [
      ['auth', isRefused && status === 401, isEnd],
      ['forbidden', isRefused && status === 403, isEnd],
      ['refused', isWrong && isFirst, isEnd && !before.some(isGood)],
      ['retry-after', [429, 503].includes(status) && retryAfter > mostToWait(process), isEnd],
      ['failures', failures.possible >= 3, isThird && isEnd],
    ] as const
    return stops.flatMap(([reason, isSo, isSure]) => (isSo ? [{ reason, at, status, isSure }] : []))
  })
}

/** Milliseconds in which a request leaves whose attempt is on disk. */
const slack = 200

const isHeld = ({ isDisturbed, signalledAt }: SimulatedProcess) =>
  isDisturbed && signalledAt === undefined

/** Behind what stops a run, only requests that were in flight are sent again. */
const sendsNoMore: Claim = ({ process, facts, isSession }) => {
  if (!isSession || isHeld(process)) return undefined
  const stops = stopsOf({ process, facts }).filter(({ isSure }) => isSure)
  const at = Math.min(process.signalledAt ?? Infinity, ...stops.map((stop) => stop.at)) + slack
  const begun = process.attempts.filter((sent) => sent.at <= at)
  const inFlight = new Set(
    begun.flatMap((sent) => (isWrite(sent) ? [keyOf(sent), sent.ids.join()] : keyOf(sent))),
  )
  const late = process.attempts.find(
    (sent) =>
      sent.at > at &&
      !inFlight.has(keyOf(sent)) &&
      (isWrite(sent) || !inFlight.has(sent.ids.join())),
  )
  return late && `it sent ${keyOf(late)} at ${late.at}, and had stopped: ${JSON.stringify(stops)}`
}

/** A run is stopped by what stops runs, says so where something is left, and names the answer. */
const stopFollows: Claim = ({ process, summary, facts, isSession }) => {
  const { stopReason, left, errors } = summary
  if (!isSession || isHeld(process) || stopReason === 'signal' || stopReason === 'journal')
    return undefined
  const all = stopsOf({ process, facts })
  const first = all.find(({ isSure }) => isSure)
  const last = first === undefined ? Infinity : first.at + slack
  const isKnown = all.some(({ at, reason }) => at <= last && reason === stopReason)
  if (stopReason === null ? first !== undefined && left > 0 : !isKnown)
    return `stopped by ${stopReason}, and was told ${JSON.stringify(all)}`
  const unnamed = all.find(
    ({ status, isSure }) =>
      isSure && status > 0 && !errors.some(({ httpStatus }) => httpStatus === status),
  )
  return unnamed && `no error has ${JSON.stringify(unnamed)}: ${JSON.stringify(errors)}`
}

/** A request has its retries; a change to a ticket may be sent three times. */
const isBounded: Claim = ({ process, facts, isSession }) => {
  if (!isSession) return undefined
  const counts = new Map<string, number>()
  for (const sent of process.attempts) counts.set(keyOf(sent), (counts.get(keyOf(sent)) ?? 0) + 1)
  for (const [key, count] of counts) {
    const times =
      facts.job.operation !== 'tickets.assign' ? 1 : key.startsWith('tickets.assign') ? 3 : 5
    if (count > 4 * times) return `${key} was sent ${count} times`
  }
  return undefined
}

export const claims: readonly Claim[] = [
  codeFollows,
  statusFollows,
  leftFollows,
  errorsAreTold,
  errorsAreWhole,
  receiptsAgree,
  sendsNoMore,
  stopFollows,
  isBounded,
]
