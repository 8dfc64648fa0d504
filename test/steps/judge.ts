/**
 * Compares what svc recorded and said with what the service did. It sees each transaction as it is committed, and each request as
 * it leaves. Each false claim is a line of `wrong`.
 */
import { readFileSync } from 'node:fs'
import { SvcError } from '../../src/errors.ts'
import type { Exchange, SqlDatabase, SignedRequest } from '../../src/host.ts'
import { receiptsOf, type EndedRun, type Receipt, type Runs } from '../../src/runs/engine.ts'
import { receiptsText, type Started } from './commands.ts'
import type { Service } from './service.ts'
import type { Process, Watcher, World } from './world.ts'

/**
 * What a connection notes of the transaction that is open: turns that were taken, when the command before showed a sign of life if it
 * works, the items of attempts, and whatever else is written.
 */
const notes = `CREATE TEMP TABLE written (run INTEGER, turn INTEGER, touched INTEGER, attempt TEXT);
CREATE TEMP TRIGGER begun AFTER INSERT ON main.runs BEGIN
  INSERT INTO written (run, turn) VALUES (NEW.key, NEW.turn); END;
CREATE TEMP TRIGGER taken AFTER UPDATE ON main.runs BEGIN
  INSERT INTO written (run, turn, touched)
    VALUES (NEW.key, nullif(NEW.turn, OLD.turn), iif(OLD.working = 1, OLD.touched, NULL)); END;
CREATE TEMP TRIGGER saved AFTER UPDATE ON main.batches BEGIN
  INSERT INTO written (run, attempt) VALUES (NEW.run,
    iif(NEW.outcome = 'unknown' AND NEW.message IS NULL AND NEW.status IS NULL, NEW.items, NULL)); END;
CREATE TEMP TRIGGER removed AFTER DELETE ON main.batches WHEN OLD.due = 1 BEGIN
  INSERT INTO written (run) VALUES (OLD.run); END;`

/** The ids that are open in each run that is not closed. */
const open = `SELECT run, items.id AS id, target, job ->> 'operation' AS operation FROM items JOIN runs ON key = run
  WHERE closed IS NULL AND (items.due = 1 OR (outcome = 'unknown' AND operation = 'contacts.merge'))`

interface Attempt {
  process: Process
  ids: string
  at: number
}

/** An id in the path or the body of a request. */
const idPattern = /\b[ca][0-9]{23}\b/g

export class Judge implements Watcher {
  readonly wrong: string[] = []
  readonly #world: World
  readonly #service: Service
  /** The processes that had the turn of each run, the last one last. */
  readonly #turns = new Map<unknown, Process[]>()
  /** Those that are on disk, and whose request did not leave yet. */
  #attempts: Attempt[] = []

  constructor(world: World, service: Service) {
    this.#world = world
    this.#service = service
  }

  begins(database: SqlDatabase) {
    const has = (name: string) => database.prepare(`PRAGMA table_info(${name})`).all().length > 0
    if (has('batches') && !has('written')) database.exec(notes)
  }

  committed(process: Process, database: SqlDatabase) {
    if (database.prepare('PRAGMA table_info(written)').all().length === 0) return
    const all = database.prepare('SELECT * FROM written ORDER BY turn IS NULL').all()
    database.exec('DELETE FROM written')
    for (const { run, turn, touched, attempt } of all) {
      const owners = this.#turns.get(run) ?? []
      const last = owners.at(-1)
      if (turn === null && last !== process) this.wrong.push('wrote without the turn')
      const isSilent = Number(touched ?? 0) + 10_000 <= this.#world.time
      if (turn !== null && last?.isDead === false && !isSilent)
        this.wrong.push('took the turn of a command that works')
      if (turn !== null) this.#turns.set(run, [...owners, process])
      if (turn === 1) this.#checkOpen(database, run)
      if (typeof attempt !== 'string') continue
      if (process.hasFailed) this.wrong.push('a commit failed, and another attempt was made')
      this.#attempts.push({ process, ids: attempt, at: this.#world.time })
    }
  }

  /** Of a run that begins, no id is open in another one, unless it is an add. */
  #checkOpen(database: SqlDatabase, run: unknown) {
    const all = database.prepare(open).all()
    const idsOf = ({ id, target, operation }: (typeof all)[number]) =>
      operation === 'contacts.merge' ? [id, target] : [id]
    const own = all.filter((each) => each['run'] === run)
    if (own[0]?.['operation'] === 'lists.add-contacts') return
    const ids = new Set(own.flatMap(idsOf))
    const twice = all.filter((each) => each['run'] !== run && idsOf(each).some((id) => ids.has(id)))
    for (const { id } of twice) this.wrong.push(`${String(id)} is open in two runs`)
  }

  leaves(process: Process, request: SignedRequest, end: (delay: number, how: Exchange) => void) {
    const hasLeft = this.#service.take(process, request, end)
    if (request.method === 'GET') return
    const ids = `${request.path} ${request.body.toString()}`.match(idPattern) ?? []
    const attempt = this.#attempts.findLast(
      (each) => each.process === process && ids.every((id) => each.ids.includes(id)),
    )
    this.#attempts = this.#attempts.filter((each) => each !== attempt)
    if (!hasLeft) return
    const what = `a request for ${ids.join(', ')} left`
    if (attempt === undefined) this.wrong.push(`${what}, but no attempt is on disk`)
    else if (this.#world.time > Math.max(attempt.at, process.suspendedUntil) + 5)
      this.wrong.push(`${what} long after its attempt`)
  }

  /** Compares all that is recorded and was said at the end. */
  end(runs: Runs, started: readonly Started[]) {
    for (const record of runs.list()) {
      const whole = runs.whole(record)
      const owners = this.#turns.get(record.key) ?? []
      const receipts = Array.from(receiptsOf(whole))
      const claims = receipts.flatMap((receipt) => this.#claims(whole, receipt, owners))
      const found = Object.entries(record.counts).filter(
        ([outcome, count]) => receipts.filter((each) => each.outcome === outcome).length !== count,
      )
      if (found.length > 0) claims.push([true, `has other counts than its receipts`])
      for (const { ended, command } of started) {
        if (typeof ended !== 'object' || ended instanceof SvcError) continue
        if (ended.record.key !== record.key) continue
        const path = command.receipts ?? ''
        const isWritten = ended.notes.some((text) => String(text).startsWith(`wrote "${path}"`))
        const text = isWritten ? readFileSync(path, 'utf8') : ''
        claims.push([
          isWritten && text !== receiptsText(receipts),
          'has other receipts in its file',
        ])
      }
      this.#note(record.id, claims)
    }
    for (const { ended } of started)
      if (ended instanceof SvcError) this.#judgeError(ended)
      else if (typeof ended === 'object') this.#judgeSummary(ended)
  }

  #note(subject: string, claims: readonly (readonly [isFalse: boolean, what: string])[]) {
    for (const [isFalse, what] of claims) if (isFalse) this.wrong.push(`${subject} ${what}`)
  }

  #claims({ record }: EndedRunPart, { id, target, outcome }: Receipt, owners: readonly Process[]) {
    const { job } = record
    const service = this.#service
    const effects = service.effects.filter(
      (each) => each.id === id && owners.includes(each.process),
    )
    const sent = effects.filter(({ kind }) => kind === 'merge sent').length
    const changes = effects.length - sent
    const holders = service.holders.get(id) ?? []
    const kind = job.operation.replace(/.*\./, '')
    const is = (...outcomes: string[]) => outcomes.includes(outcome)
    const isAbsence = is('not-found', 'gone')
    // A contact that was added can be absent when the request is repeated.
    const isUnchanged =
      is('blocked', 'kept', 'error', 'not-attempted') ||
      (is('not-found') && kind !== 'add-contacts')
    const wasAssigned = holders.includes(target ?? '')
    const wasOther = holders.some((each) => each !== job.expected?.id)
    const claims: [boolean, string][] = [
      [isUnchanged && changes > 0, 'but this run changed it'],
      [is('done') && kind === 'assign' && !wasAssigned, 'but nobody assigned it'],
      [is('done') && /delete|merge/.test(kind) && changes === 0, 'but this run did not change it'],
      [is('done') && kind === 'add-contacts' && !service.wereMembers.has(id), 'but it never was'],
      [isAbsence && !service.wereAbsent.has(id), 'but it was always there'],
      [is('blocked') && !service.wereBlocked.has(id), 'but it is not blocked'],
      [is('kept') && !wasOther, 'but nobody else had it'],
      [sent > 1, `and was sent ${sent} times`],
      [changes > 1 && kind !== 'assign', `and was changed ${changes} times`],
    ]
    return claims.map(
      ([isFalse, what]) => [isFalse, `: ${id} is ${outcome}, ${what}`] as [boolean, string],
    )
  }

  #judgeError({ message, exitCode }: SvcError) {
    const words = message.replace(this.#world.folder, '').replace('its disk failed, or is full', '')
    const isOfDatabase = /SQL|constraint|statement|cannot be used: (?!: )/i.test(words)
    this.#note(`the error "${message}"`, [
      [isOfDatabase, 'has words of the database'],
      [![1, 2, 4, 7, 130].includes(exitCode), `has exit ${exitCode}`],
    ])
  }

  #judgeSummary({ record, summary }: EndedRun) {
    const { outcomes, due, exitCode, status, input } = summary
    const sum = Object.values(outcomes).reduce((total, count) => total + count, 0)
    const isDone = Object.keys(outcomes).join() === 'done'
    this.#note(`${record.id}: the summary says`, [
      [sum !== input.unique, `outcomes of ${sum} ids, not ${input.unique}`],
      [exitCode === 0 && (due > 0 || !isDone), 'exit 0, but not all is done'],
      [exitCode === 3 && due > 0, 'exit 3 with something due'],
      [exitCode === 7 && due === 0, 'exit 7 with nothing due'],
      [status === 'complete' && !isDone, 'complete, but not all is done'],
      [due > 0 && record.closed !== null, 'closed, and something is due'],
    ])
  }
}

type EndedRunPart = Pick<EndedRun, 'record'>
