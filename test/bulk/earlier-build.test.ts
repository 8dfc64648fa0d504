/**
 * Runs that earlier builds recorded, as files: one that ended, one whose process was killed, and three of version 1.1 of which
 * something is left. Later builds read them; a list needs no more of a run that ended than its last line.
 */
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { decodeEvent } from '../../src/bulk/record/replay.ts'
import { encodeEvent } from '../../src/bulk/record/journal.ts'
import { createBulkWorld, linesOf, type ReceiptLine, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const state = world.state()
const folder = join(state.replace('--state-dir ', ''), 'runs')
const [ended, killed] = ['20261120T184439Z-7c4d', '20261120T184443Z-63fb']
for (const run of [ended, killed]) copy(run, folder)

/** What a checkout makes of the modes of recorded files is not theirs. */
function copy(run: string, into: string): void {
  cpSync(fileURLToPath(new URL(`earlier/${run}`, import.meta.url)), join(into, run), { recursive: true })
  for (const path of [into, join(into, run)]) chmodSync(path, 0o700)
}

const { svc, bulk, sandbox } = world

it('are listed', async () => {
  expect(JSON.parse((await svc(`runs list --json ${state}`)).stdout)).toMatchObject([
    {
      run: killed,
      name: null,
      target: 'VIP',
      status: 'interrupted',
      result: { failed: 2, notAttempted: 1 },
      left: 2,
      exitCode: null,
    },
    {
      run: ended,
      name: 'cleanup',
      status: 'partial',
      result: { deleted: 4, gone: 0, notFound: 1, blocked: 2, error: 0, unknown: 0, notAttempted: 0 },
      left: 0,
      exitCode: 3,
    },
  ])
})

it('are shown and exported', async () => {
  const show = async (run: string) => JSON.parse((await svc(`runs show ${run} --json ${state}`)).stdout) as unknown
  expect(await show(ended)).toMatchObject({
    name: 'cleanup',
    notFoundIds: ['64f0a1b2c3d4e5f600000001'],
    blockedIds: ['64007ec1d5aad2927b00036d', '64007e52d5aad2927b00036a'],
    goneIds: [],
    resume: null,
    durationMs: 663,
  } satisfies Partial<SummaryDocument> & { durationMs: number })
  expect(await show(killed)).toMatchObject({
    batches: { total: 5, done: 3, failed: 1, retried: 0 },
    result: { added: 0, skipped: 1, addedOrSkipped: 0, failed: 2, error: 0, unknown: 1, notAttempted: 1 },
    unknownIds: ['64007e9cd5aad2927b00036c'],
    resume: expect.stringContaining(`svc runs resume ${killed}`) as string,
    stopReason: null,
    exitCode: 7,
  })
  const receipts = linesOf<ReceiptLine>((await svc(`runs export ${killed} -o ndjson ${state}`)).stdout)
  expect(receipts.map(({ outcome }) => outcome)).toEqual(['missing', 'missing', 'ok', 'unknown', 'not-attempted'])
})

it('that ended are known by their last line, whatever lies before it', async () => {
  writeFileSync(join(folder, ended, 'ids'), 'changed')
  const { stdout } = await svc(`runs list --fields run,left -o csv ${state}`)
  expect(stdout).toBe(`run,left\n${killed},2\n${ended},0\n`)
})

/** A state folder with a run of version 1.1, as if this sandbox had been its service. */
function adopted(run: string): string {
  const own = world.state()
  const runs = join(own.replace('--state-dir ', ''), 'runs')
  copy(run, runs)
  const [file, journal] = [join(runs, run, 'run.json'), join(runs, run, 'journal.ndjson')]
  const description = readFileSync(file, 'utf8').replace(/"baseUrl": "[^"]*"/, `"baseUrl": "${sandbox.baseUrl}"`)
  writeFileSync(file, description)
  const [first = '', ...rest] = readFileSync(journal, 'utf8').split('\n')
  const begin = decodeEvent(Buffer.from(first))
  if ('problem' in begin || begin.t !== 'begin') throw new Error(first)
  const sums = { ...begin.sums, run: createHash('sha256').update(description).digest('hex') }
  writeFileSync(journal, encodeEvent({ ...begin, sums }) + rest.join('\n'))
  return own
}

const left = [
  ['20261121T045027Z-4495', 'resume', 3, 1, { deleted: 3, blocked: 1, gone: 0 }],
  ['20261121T045027Z-4495', 'retry --outcome error', 3, 1, { deleted: 2, blocked: 1, notFound: 1, gone: 0 }],
  ['20261121T045043Z-e64a', 'resume', 0, 2, { added: 0, addedOrSkipped: 4 }],
  ['20261121T045047Z-df5d', 'resume', 7, 0, { done: 0, unknown: 1 }],
  ['20261121T045047Z-df5d', 'retry --outcome unknown', 0, 1, { done: 1, unknown: 0 }],
] as const
it.each(left)('of version 1.1: %s, %s', async (run, words, code, sent, result) => {
  const own = adopted(run)
  const [verb = '', ...options] = words.split(' ')
  const before = sandbox.requests.length
  const done = await bulk(`runs ${verb} ${run} ${options.join(' ')} --yes ${own}`.replaceAll('  ', ' '))
  expect([done.code, sandbox.requests.length - before, done.summary]).toMatchObject([code, sent, { run, result }])
  const shown = JSON.parse((await svc(`runs show ${run} --json ${own}`)).stdout) as SummaryDocument
  expect(shown).toMatchObject({ result, exitCode: code })
})

it('of version 1.0 are named with the version that can finish them, and pruned after a question', async () => {
  const run = '20260301T101500Z-7f3a'
  cpSync(join(folder, killed), join(folder, run), { recursive: true })
  const path = join(folder, run, 'run.json')
  const text = readFileSync(path, 'utf8').replace('svc.run/2', 'svc.run/1')
  writeFileSync(path, text.replace(/"version": "[^"]*"/, '"version": "1.0.0"'))
  const problem = `run ${run} was recorded by svc 1.0.0, and only that version can finish it`
  for (const line of ['show', 'export', 'resume', 'retry --outcome error']) {
    const { code, stdout, stderr } = await svc(`runs ${line} ${run} ${state}`)
    expect([line, code, stdout, stderr]).toEqual([
      line,
      2,
      '',
      `error: ${problem}\n  install svc 1.0.0, then\n  svc runs resume ${run} ${state}\n`,
    ])
  }
  const { stdout, stderr } = await svc(`runs list --fields run,status -o csv ${state}`)
  expect([stdout.split('\n')[3], stderr]).toEqual([`${run},svc 1.0`, `warning: run ${run}: ${problem}\n`])
  expect((await svc(`runs prune --older-than 100d ${state}`)).code).toBe(9)
  expect((await svc(`runs prune --older-than 100d --yes -o ids ${state}`)).stdout).toBe(`${run}\n`)
})
