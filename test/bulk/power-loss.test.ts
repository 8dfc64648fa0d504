/**
 * What a power loss leaves of a journal: whole pages that were never synced are missing before later ones. What was on disk
 * is believed, what was not counts as not written, and batches that may have been sent are never claimed to be untouched.
 */
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JournalEvent } from '../../src/bulk/record/events.ts'
import { prepareFolders } from '../../src/bulk/runs/store.ts'
import { realHost } from '../host.ts'
import { SimulatedDisk } from '../simulator/disk.ts'
import { decodeEvent } from '../../src/bulk/record/replay.ts'
import { createBulkWorld, receiptsOf, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, file, sandbox, fresh, output } = world

interface Found {
  readonly run: string
  readonly state: string
  readonly dir: string
  readonly journal: string
  readonly ids: readonly string[]
}

/** A run that came to its end: so many batches of two deletes each, all carried out, as many at once as said. */
async function finished(batches: number, concurrency: number): Promise<Found> {
  const ids = fresh(2 * batches)
  const state = world.state()
  const { summary } = await bulk(
    `contacts delete --file ${file('ids', ids)} --yes batches-of=2 --concurrency ${concurrency} ${state}`,
  )
  expect(summary.result).toMatchObject({ deleted: ids.length })
  const run = summary.run ?? ''
  const dir = join(state.replace('--state-dir ', ''), 'runs', run)
  return { run, state, dir, journal: join(dir, 'journal.ndjson'), ids }
}

interface Line {
  readonly text: string
  readonly event: JournalEvent
}

function linesOf({ journal }: Found): Line[] {
  return readFileSync(journal, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((text) => {
      const event = decodeEvent(Buffer.from(text))
      if ('problem' in event) throw new Error(event.problem)
      return { text, event }
    })
}

const zeros = ({ text }: Line): string => '\0'.repeat(text.length)
const of =
  (t: JournalEvent['t'], b: number) =>
  ({ event }: Line): boolean =>
    event.t === t && 'b' in event && event.b === b
const ofBatch =
  (b: number) =>
  (line: Line): boolean =>
    of('try', b)(line) || of('res', b)(line)

/** The journal again, with some of its lines as pages that were never written, and nothing behind the last one kept. */
function lose(found: Found, isLost: (line: Line) => boolean, isKept: (line: Line) => boolean): void {
  const lines = linesOf(found)
  const last = lines.findLastIndex(isKept)
  const texts = lines.slice(0, last + 1).map((line) => `${isLost(line) ? zeros(line) : line.text}\n`)
  writeFileSync(found.journal, texts.join(''))
}

async function outcomesAfter(
  { run, state }: Found,
  command = 'resume',
): Promise<{ code: number; outcomes: string[]; stderr: string }> {
  const receipts = output()
  const { code, stderr } = await bulk(`runs ${command} ${run} --yes --receipts ${receipts} ${state}`)
  return { code, stderr, outcomes: receiptsOf(receipts).map(({ outcome }) => outcome) }
}

const twice = (...outcomes: readonly string[]): string[] => outcomes.flatMap((outcome) => [outcome, outcome])

describe('whole lines that were lost at the end', () => {
  it('an answer: the batch is gone, not deleted, and nothing is claimed to be anybody else’s', async () => {
    const found = await finished(3, 1)
    lose(found, of('res', 3), of('res', 3))
    const { code, outcomes, stderr } = await outcomesAfter(found)
    expect(stderr).toContain('the end of the journal was not written whole')
    expect([code, outcomes]).toEqual([0, twice('deleted', 'deleted', 'gone')])
  })

  it('an attempt and its answer: what would have been sent next counts as sent', async () => {
    const found = await finished(3, 1)
    lose(found, ofBatch(3), of('res', 3))
    expect((await outcomesAfter(found)).outcomes).toEqual(twice('deleted', 'deleted', 'gone'))
  })

  it('as many batches as were in flight, and none beyond', async () => {
    const found = await finished(6, 3)
    // Everything from the first answer on is gone.
    const lines = linesOf(found)
    const first = lines.findIndex(({ event }) => event.t === 'res')
    const kept = lines.slice(0, first).map(({ text }) => `${text}\n`)
    const open = kept.length - 1
    writeFileSync(found.journal, `${kept.join('')}${'\0'.repeat(200)}\n`)
    const { outcomes } = await outcomesAfter(found)
    // Those that were tried, and those that may have been: the rest is sent as if for the first time.
    expect(open).toBeGreaterThanOrEqual(1)
    const gone = outcomes.filter((outcome) => outcome === 'gone').length / 2
    expect(gone).toBeGreaterThanOrEqual(3)
    expect(outcomes.filter((outcome) => outcome === 'not-found').length / 2).toBe(6 - gone)
    expect(outcomes.slice(0, 2 * gone).every((outcome) => outcome === 'gone')).toBe(true)
  })

  it('an answer of one of several in flight, before lines that were synced: damage', async () => {
    const found = await finished(8, 1)
    lose(found, of('res', 2), () => true)
    const before = readFileSync(found.journal)
    for (const command of ['show', 'export', 'resume --yes', 'retry --outcome error --yes']) {
      const [verb = '', ...options] = command.split(' ')
      const { code, stdout, stderr } = await svc(`runs ${verb} ${found.run} ${options.join(' ')} ${found.state}`)
      expect({ command, code }).toEqual({ command, code: 10 })
      expect(stdout).toMatch(verb === 'export' ? /^# incomplete: line 5 of the journal .*\n$/ : /^$/)
      expect(stderr).toContain('line 5 of the journal')
    }
    expect(readFileSync(found.journal)).toEqual(before)
  })
})

describe('what is done about it', () => {
  it('is written down where it was cut off, so that the next session knows it too', async () => {
    const found = await finished(3, 1)
    lose(found, ofBatch(3), of('res', 3))
    sandbox.setFaults('contacts.delete=401')
    const { summary } = await bulk(`runs resume ${found.run} --yes ${found.state}`)
    sandbox.setFaults()
    expect(summary.result).toMatchObject({ deleted: 4, unknown: 2 })
    const events = linesOf(found).map(({ event }) => event)
    expect(events.find(({ t }) => t === 'cut')).toMatchObject({ t: 'cut', b: [3] })
    expect((await outcomesAfter(found)).outcomes).toEqual(twice('deleted', 'deleted', 'gone'))
  })

  it('is not done by those who only read: they say what is known, and touch nothing', async () => {
    const found = await finished(3, 1)
    lose(found, of('res', 3), of('res', 3))
    const before = [readFileSync(found.journal), statSync(found.journal).ino, readdirSync(found.dir)]
    const shown = JSON.parse((await svc(`runs show ${found.run} --json ${found.state}`)).stdout) as SummaryDocument
    expect(shown).toMatchObject({ status: 'interrupted', result: { deleted: 4, unknown: 2 } })
    expect(
      (await svc(`runs export ${found.run} --outcome unknown -o ids ${found.state}`)).stdout.trimEnd().split('\n'),
    ).toEqual(found.ids.slice(4))
    expect([readFileSync(found.journal), statSync(found.journal).ino, readdirSync(found.dir)]).toEqual(before)
  })

  it('is not done when the answer to the question is no; but what was cut off stays known', async () => {
    const found = await finished(3, 1)
    lose(found, ofBatch(3), of('res', 3))
    expect((await svc(`runs resume ${found.run} ${found.state}`)).code).toBe(9)
    expect((await outcomesAfter(found)).outcomes).toEqual(twice('deleted', 'deleted', 'gone'))
  })

  it('comes to the same after a crash in the middle of it', async () => {
    const found = await finished(3, 1)
    lose(found, of('res', 3), of('res', 3))
    // The copy was being written.
    writeFileSync(join(found.dir, 'journal.new'), readFileSync(found.journal).subarray(0, 100))
    expect((await outcomesAfter(found)).outcomes).toEqual(twice('deleted', 'deleted', 'gone'))
    expect(
      readdirSync(found.dir)
        .filter((name) => name !== 'journal.new')
        .toSorted(),
    ).toEqual(['ids', 'journal.ndjson', 'lines', 'run.json'])
  })

  it('is told from a line that was being written, which needs no event', async () => {
    const found = await finished(2, 1)
    const whole = readFileSync(found.journal)
    writeFileSync(found.journal, Buffer.concat([whole, Buffer.from('{"t":"resume"')]))
    expect((await outcomesAfter(found)).outcomes).toEqual(twice('deleted', 'deleted'))
    expect(linesOf(found).some(({ event }) => event.t === 'cut')).toBe(false)
  })
})

describe('every page that may be missing', () => {
  it('with any of the unsynced lines lost, in any combination, nothing false is claimed', async () => {
    const found = await finished(3, 3)
    const lines = linesOf(found)
    const folder = join(found.dir, '..', '..')
    const sizes = lines.map(({ text }) => Buffer.byteLength(text) + 1)
    const offsets = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0))
    // The last try says how much was on disk; everything behind that may be there or not.
    const synced = Math.max(...lines.map(({ event }) => (event.t === 'try' ? (event.d ?? 0) : 0)))
    const unsynced = lines.map((_, i) => i).filter((i) => (offsets[i] ?? 0) >= synced)
    const answers = unsynced.slice(0, 4)
    const claims = new Set<string>()
    for (let choice = 0; choice < 2 ** answers.length; choice += 1) {
      const isLost = (i: number): boolean => answers.includes(i) && ((choice >> answers.indexOf(i)) & 1) === 1
      const copy = join(world.folder, `choice-${choice}`)
      cpSync(folder, copy, { recursive: true })
      const path = join(copy, 'runs', found.run, 'journal.ndjson')
      writeFileSync(path, lines.map((line, i) => `${isLost(i) ? zeros(line) : line.text}\n`).join(''))
      const outcomes = (await outcomesAfter({ ...found, state: `--state-dir ${copy}` })).outcomes
      // All of them were deleted by this run.
      expect(outcomes.every((outcome) => ['deleted', 'gone'].includes(outcome))).toBe(true)
      claims.add(outcomes.join(' '))
    }
    expect(claims.size).toBeGreaterThan(1)
  })
})

it('the folders of the first run last, whoever of two processes made them', async () => {
  // Every change that was not synced is lost.
  const loseAll = (): number => 0.2
  for (let nth = 1; nth <= 12; nth += 1) {
    const disk = new SimulatedDisk({ now: Date.now }, loseAll)
    disk.put('/home/ana', undefined, 0o700)
    const hostOf = (id: number) => ({ ...realHost, disk: disk.as(id), userId: 0 })
    const killed = hostOf(1)
    disk.killAt(1, nth, 'after')
    await Promise.race([
      prepareFolders(killed, '/home/ana/.local/state/svc').catch(() => undefined),
      realHost.sleep(20),
    ])
    await prepareFolders(hostOf(2), '/home/ana/.local/state/svc')
    disk.losePower()
    expect(disk.tree('/home/ana'), `killed at change ${nth}`).toContain('/home/ana/.local/state/svc/runs/')
  }
})
