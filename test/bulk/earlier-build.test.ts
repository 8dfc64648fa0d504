/**
 * Runs that an earlier build recorded, as files: one that ended, and one whose process was killed. Later builds read them; a
 * list needs no more of a run that ended than its last line.
 */
import { chmodSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createBulkWorld, linesOf, type ReceiptLine, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const state = world.state()
const folder = join(state.replace('--state-dir ', ''), 'runs')
const [ended, killed] = ['20261120T184439Z-7c4d', '20261120T184443Z-63fb']
cpSync(fileURLToPath(new URL('earlier', import.meta.url)), folder, { recursive: true })
// What a checkout makes of their modes is not theirs.
for (const path of [folder, ...readdirSync(folder).map((run) => join(folder, run))]) chmodSync(path, 0o700)

const { svc } = world

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
    resume: `svc runs resume ${killed}`,
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
      `error: ${problem}\n  install svc 1.0.0, then\n  svc runs resume ${run}\n`,
    ])
  }
  const { stdout, stderr } = await svc(`runs list --fields run,status -o csv ${state}`)
  expect([stdout.split('\n')[3], stderr]).toEqual([`${run},svc 1.0`, `warning: run ${run}: ${problem}\n`])
  expect((await svc(`runs prune --older-than 100d ${state}`)).code).toBe(9)
  expect((await svc(`runs prune --older-than 100d --yes -o ids ${state}`)).stdout).toBe(`${run}\n`)
})
