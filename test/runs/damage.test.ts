/**
 * Run files that are cut anywhere, of which any byte is changed, or any stretch zeroed or removed: nothing crashes, nothing is claimed that is not
 * so, and no damage goes unnoticed where a line of the last session is left behind it. Some places here, every byte for
 * `npm run figures -- journal`.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { RunLog } from '../../src/runs/fold.ts'
import { goodLines } from '../../src/runs/lines.ts'
import { readLog } from '../../src/runs/reading.ts'
import { figure, howMany } from '../figures/figure.ts'
import { createBulkWorld } from './bulk-world.ts'
import { host } from './recorded-run.ts'
import { linesIn, sessionOf, writeOf } from './run-files.ts'

const step = howMany('CUT_STEP', 5)

const world = await createBulkWorld({ contacts: 200 })

/** Outcomes that say no more than another one. */
const weaker: Readonly<Record<string, readonly string[]>> = {
  deleted: ['unknown'],
  'not-found': ['gone', 'unknown'],
  blocked: ['unknown'],
  gone: ['unknown'],
  unknown: [],
  error: ['unknown'],
  'not-attempted': ['unknown'],
}

let path = ''
let bytes = Buffer.alloc(0)
/** Positions behind the line ends. */
let starts: readonly number[] = []
/** The outcomes that it tells. */
let whole: readonly string[] = []

/** A run of two sessions: deleted, not-found and blocked ones, lost answers, refusals, and files for its user. */
beforeAll(async () => {
  const { fresh, busy, absent, output } = world
  const ids = [...fresh(6), ...absent(3), ...busy.slice(0, 2), ...fresh(3)]
  const faults = 'contacts.delete:2=500,apply=yes contacts.delete:5=422 contacts.delete:7=401'
  const line = `contacts delete --file ${world.file('ids', ids)} --yes --wait 0s batches-of=2`
  const { run, path: file, state } = await world.begun(faults, line)
  await world.bulk(`runs resume ${run} --yes --receipts ${output()} ${state}`)
  path = file
  bytes = readFileSync(path)
  starts = [...bytes.keys()].filter((at) => bytes[at - 1] === 0x0a)
  whole = told(bytes).claims
})

/** The outcomes that a changed file tells, none if no run began, and whether it says that something is wrong. */
function told(changed: Buffer) {
  const log = new RunLog('x')
  for (const line of goodLines(changed)) log.apply(line)
  const { recorded, isHeadDamaged } = log
  const state = recorded?.state
  const claims = [...(state?.batches.numbers() ?? [])].flatMap(
    (batch) => state?.judge(batch).outcomes ?? [],
  )
  return { claims, isNoticed: isHeadDamaged || recorded?.damage !== undefined }
}

const isWeaker = (claim: string, whole: string | undefined): boolean =>
  claim === whole || weaker[whole ?? '']?.includes(claim) === true

/** The claims of a changed file that say more than those of the whole one, and whether it says that something is wrong. */
function judged(changed: Buffer) {
  const { claims, isNoticed } = told(changed)
  return { stronger: claims.filter((claim, i) => !isWeaker(claim, whole[i])), isNoticed }
}

const noMore = { stronger: [], isNoticed: true }

/** Where the last counted line begins. Behind it nothing can tell of damage. */
const lastLine = (): number => starts.at(-2) ?? 0

describe('a run file', () => {
  it('of this test has every kind of outcome and of line', () => {
    const { claims, isNoticed } = told(bytes)
    expect(isNoticed).toBe(false)
    expect(new Set(claims)).toEqual(new Set(['deleted', 'gone', 'not-found', 'blocked', 'error']))
    const kinds = bytes.toString().match(/(?<="t":")\w+/g)
    const all = ['session', 'run', 'ids', 'try', 'res', 'end', 'free', 'file']
    expect([...new Set(kinds)].sort()).toEqual(all.sort())
  })

  it('that is cut claims what it claimed then, and is damaged nowhere', () => {
    for (let length = 0; length < bytes.length; length += step) {
      const end = bytes.lastIndexOf(0x0a, length - 1) + 1
      const cut = told(bytes.subarray(0, length))
      // A part of a line is no line.
      const isLine = bytes[length] === 0x0a
      const { claims } = told(bytes.subarray(0, isLine ? length + 1 : end))
      expect([length, cut.isNoticed]).toEqual([length, false])
      expect([length, cut.claims]).toEqual([length, claims])
      figure('cuts of a run file', 1)
    }
  })

  it('with a changed byte says so, and claims no more', () => {
    for (let at = 0; at < lastLine(); at += step) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      // A line end in front of a write is nothing.
      const isEmpty = bytes[at] === 0x0a && (at === 0 || bytes[at - 1] === 0x0a)
      const { stronger, isNoticed } = judged(changed)
      expect([at, stronger, isNoticed || isEmpty]).toEqual([at, [], true])
      figure('changed bytes of a run file noticed', 1)
    }
  })

  it.each([
    ['zeroed', '\0'],
    ['removed', ''],
    ['turned into line ends', '\n'],
  ])('of which a stretch was %s says so, and claims no more', (_, filling) => {
    for (const length of [4, 30, 200, 4096]) {
      const put = Buffer.from(filling.repeat(length))
      for (let at = 0; at + length < lastLine(); at += 7 * step) {
        const changed = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + length)])
        expect([length, at, judged(changed)]).toEqual([length, at, noMore])
        figure('stretches of a run file noticed', 1)
      }
    }
  })

  it('of which any run of whole lines is gone says so, and claims no more', () => {
    const ends = [0, ...starts].filter((end) => end <= lastLine())
    for (const [i, from] of ends.entries()) {
      for (const to of ends.slice(i + 1)) {
        if (bytes.subarray(from, to).toString().trim() === '') continue
        const changed = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
        expect([from, to, judged(changed)]).toEqual([from, to, noMore])
      }
    }
  })

  it('with lines that stand twice, or in another order, claims no more', () => {
    const lines = bytes.toString().split(/(?<=\n)/)
    for (const [i, line] of lines.entries()) {
      for (const j of [i + 1, i + 2, lines.length]) {
        const { stronger } = judged(Buffer.from(lines.toSpliced(j, 0, line).join('')))
        expect([i, j, stronger]).toEqual([i, j, []])
      }
    }
  })
})

it('a damaged head is exit 2 for every command that needs it, and nothing is sent', async () => {
  const { begun, fresh, since, svc, unsent } = world
  const line = `contacts delete --file ${world.file('ids', fresh(4))} --yes batches-of=2`
  const { run, path: file, state } = await begun('contacts.delete:2=401', line)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('"t":"ids"', '"t":"idz"'))
  for (const verb of ['resume --yes', 'show', 'export', 'undo'])
    expect(await unsent(`runs ${verb} ${run} ${state}`, 2)).toMatch(
      /^error: run \S+ (?:is damaged|has a damaged head)/,
    )
  const again = await since(() => svc(`${line} ${state}`))
  expect([again.ended.code, again.sent > 0]).toEqual([3, true])
  expect(again.ended.stderr).toContain(`run ${run}, from the last 8 hours, is damaged`)
  const { log } = (await readLog(host, { run, path: file })) ?? {}
  expect(log?.isHeadDamaged).toBe(true)
})

it('a finished run that a later session put in doubt shows what it printed, and nothing to resume', async () => {
  const { absent, able, begun } = world
  const line = `tickets assign --file ${world.file('t', absent(1))} --to ${able[0]}`
  const { run, path: file, state, summary } = await begun('', line)
  const lines = linesIn(file)
  const session = sessionOf(lines[0]?.s, lines.length, { unsure: true })
  appendFileSync(file, writeOf('00000001', [session, { t: 'free' }]))
  const settled = { left: 0, resume: null }
  expect([summary, await world.shown(run, state)]).toMatchObject([settled, settled])
})
