/** Signals, pipes that close and full disks, with real processes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { idOf } from '../input/inputs.ts'
import type { SummaryDocument } from '../../src/runs/summary.ts'
import { createBulkWorld, recordedRuns, runFile } from './bulk-world.ts'
import { shell, startSvc, until, withLimit } from './spawned.ts'

const world = await createBulkWorld()
const { file, sandbox, fresh } = world

/** An environment with a state folder of its own, and that folder as words of the command line. */
function stateEnv() {
  const state = world.state()
  const [, dir] = state.split(' ')
  return { env: { ...world.as('read-write'), HOME: world.folder, SVC_STATE_DIR: dir }, state }
}

const command = (ids: readonly string[]): string =>
  `contacts delete --file ${file('ids', ids)} --yes --json batches-of=1 --concurrency 2`

/** Deletes asked for since. */
function counter(): () => number {
  const before = sandbox.requests.length
  return () => sandbox.requests.length - before
}

const resumed = async (state: string): Promise<SummaryDocument> =>
  (await world.bulk(`runs resume --last --yes ${state}`)).summary

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  'one %s: what is in flight ends, the rest is left, and the process dies by it',
  async (signal, code) => {
    const { env, state } = stateEnv()
    sandbox.setFaults('*=delay,before=150ms')
    const sent = counter()
    const run = startSvc(command(fresh(12)), { env })
    await until(() => sent() >= 4)
    run.kill(signal)
    const ended = await run.ended
    sandbox.setFaults()
    expect({ code: ended.code, signal: ended.signal }).toEqual({ code: null, signal })
    const summary = JSON.parse(ended.stdout) as SummaryDocument
    // Requests in flight had their answers: nothing is unknown.
    expect(summary).toMatchObject({
      status: 'interrupted',
      stopReason: 'signal',
      exitCode: code,
      result: { deleted: sent(), unknown: 0 },
    })
    expect(sent()).toBeLessThanOrEqual(6)
    expect(ended.stderr).toContain(`svc runs resume ${summary.run}`)
    const listed = await world.svc(`runs list --json ${state}`)
    const said = { status: 'interrupted', exitCode: code }
    expect(JSON.parse(listed.stdout)).toMatchObject([said])
    expect(await world.shown('--last', state)).toMatchObject(said)
    expect(await resumed(state)).toMatchObject({ exitCode: 0, result: { deleted: 12 } })
  },
)

const rows = Array.from({ length: 400_000 }, (_, n) => `${idOf(n)},Anna Miller,x\n`)
const otherIds = join(world.folder, 'other.txt')
writeFileSync(otherIds, `${'f'.repeat(24)}\n`)
const longInput = `id,name,n\n${rows.join('')}`

it.each(['contacts delete - --dry-run', `contacts delete --file ${otherIds} --except - --dry-run`])(
  'a signal while a long input is read ends at once, before anything has begun: %s',
  async (line) => {
    const run = startSvc(line, { env: stateEnv().env, stdin: longInput })
    // Nearly all of it was taken.
    await finished(run.stdin ?? process.stdin)
    run.kill('SIGINT')
    expect(await run.ended).toEqual({ code: null, signal: 'SIGINT', stdout: '', stderr: '' })
    expect(readdirSync(world.folder).filter((name) => name.startsWith('ids.txt'))).toEqual([])
  },
)

it('two signals abort what is in flight at once; the file is whole and the run resumable', async () => {
  const { env, state } = stateEnv()
  sandbox.setFaults('contacts.delete:1+=hang-after-apply')
  const sent = counter()
  const run = startSvc(command(fresh(6)), { env })
  await until(() => sent() >= 2)
  run.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 100))
  run.kill('SIGINT')
  const ended = await run.ended
  sandbox.setFaults()
  expect(ended.signal).toBe('SIGINT')
  expect(JSON.parse(ended.stdout)).toMatchObject({
    status: 'interrupted',
    result: { unknown: 2, notAttempted: 4 },
  })
  const [recorded = ''] = recordedRuns(state)
  expect(readFileSync(runFile(state, recorded), 'utf8').endsWith('\n')).toBe(true)
  expect(await resumed(state)).toMatchObject({ exitCode: 0, result: { gone: 2, deleted: 4 } })
})

describe('a disk that is full, a folder that cannot be written', () => {
  it('a file of a run that cannot grow stops the run with 10 before the next request', async () => {
    const { env, state } = stateEnv()
    const sent = counter()
    // The head of 40 contacts fits, the lines of 40 batches do not.
    const ended = await withLimit(14, command(fresh(40)), { env }).ended
    const { result, ...summary } = JSON.parse(ended.stdout) as SummaryDocument
    expect(ended.code).toBe(1)
    expect(summary).toMatchObject({ status: 'stopped', stopReason: 'journal', exitCode: 1 })
    expect(ended.stderr).toContain('svc runs resume')
    expect(result).toMatchObject({ deleted: sent(), notAttempted: 40 - sent() })
    const after = await resumed(state)
    const { deleted = 0, gone = 0 } = after.result
    expect([after.exitCode, deleted + gone]).toEqual([0, 40])
  })

  it('a run whose head cannot be written is none: the command is repeated', async () => {
    const { env } = stateEnv()
    const ended = await withLimit(1, command(fresh(40)), { env }).ended
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/fix the disk, and repeat the command\n$/)
  })

  it('/dev/full as stdout is exit 1 with what to type: a change is not simply repeated', async () => {
    const { env } = stateEnv()
    const remove = (more = '') => `contacts delete ${fresh(2).join(' ')} --yes ${more}`
    const on = async (words: string) =>
      (await shell(`svc ${words} > /dev/full; echo "code $?" >&2`, { env }).ended).stderr
    expect(await on(remove())).toMatch(
      /\n {2}the run is recorded:\n {4}(?:npx )?svc runs show \S+\ncode 1\n$/,
    )
    expect(await on('lists create --name full')).toMatch(
      /\n {2}the change was made: .* before .*again\ncode 1\n$/,
    )
    for (const words of [
      'lists get "Campaign 292"',
      'lists create --name VIP --if-not-exists',
      remove('--dry-run'),
    ])
      expect(await on(words)).toContain('\n  free some space, and run the command again\ncode 1\n')
  })
})
