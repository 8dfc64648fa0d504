/** What a person is told when a run ends: files that are out of date, why the exit code is what it is, what was cut short. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBulkWorld, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, free, busy, sandbox } = world
let used = 0
const fresh = (count: number): string[] => free.slice(used, (used += count))
let outputs = 0
const output = (ending = 'csv'): string => join(world.folder, `out ${(outputs += 1)}.${ending}`)
const outcomes = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map(
      (line) => (/(?:,|^)(deleted|unknown|error|not-attempted|blocked|not-found)(?:,|$)/.exec(line) ?? [])[1] ?? line,
    )

/** Runs under these faults, without waits. */
async function under(faults: string, line: string) {
  sandbox.setFaults(faults)
  const ended = await svc(line, { fast: true })
  sandbox.setFaults()
  return ended
}

async function newest(state: string): Promise<SummaryDocument> {
  return JSON.parse((await svc(`runs show --last --json ${state}`)).stdout) as SummaryDocument
}

const deletion = (ids: readonly string[]): string =>
  `contacts delete --file ${file('ids.txt', ids)} --yes --batch-size 2 --concurrency 1`

describe('files of a session before', () => {
  test('that are not written again are named, with the command that writes them', async () => {
    const state = world.state()
    const [receipts, annotated] = [output(), output('csv')]
    const files = ['--receipts', receipts, '--annotate', annotated]
    const line = deletion(fresh(4)).split(' ')
    sandbox.setFaults('contacts.delete:2=401')
    expect((await svc([...line, ...files, ...state.split(' ')])).code).toBe(4)
    sandbox.setFaults()
    const { run } = await newest(state)
    const { code, stderr } = await svc(`runs resume ${run} --yes ${state}`)
    expect(code).toBe(0)
    const note =
      `note: "${basename(receipts)}" and "${basename(annotated)}" were not written again and may be out of date; to write them again:\n` +
      `  svc runs resume ${run} --receipts '${basename(receipts)}' --annotate '${basename(annotated)}'\n`
    expect(stderr).toContain(note)
    expect(outcomes(receipts)).toEqual(['deleted', 'deleted', 'error', 'error'])
    const elsewhere = await svc(`runs resume ${run} --yes ${state}`, { cwd: join(world.folder, 'states') })
    expect(elsewhere.stderr).toContain(`--receipts '${receipts}' --annotate '${annotated}'\n`)
    // They stay out of date until somebody writes them.
    expect((await svc(`runs resume ${run} --yes ${state}`)).stderr).toContain(note)
    const again = await svc(['runs', 'resume', String(run), ...files, ...state.split(' ')])
    expect([again.code, again.stderr]).toEqual([0, `note: nothing is left to do in run ${run}\n`])
    for (const path of [receipts, annotated]) expect(outcomes(path)).toEqual(Array(4).fill('deleted'))
    expect((await svc(`runs resume ${run} --yes ${state}`)).stderr).not.toContain('out of date')
  })

  test('one that this session writes, that is gone, or that somebody else wrote since is not', async () => {
    const state = world.state()
    const [kept, gone, changed] = [output(), output(), output()]
    for (const path of [kept, gone, changed]) {
      const line = [...deletion(fresh(4)).split(' '), '--receipts', path, ...state.split(' ')]
      sandbox.setFaults('contacts.delete:2=401')
      expect((await svc(line)).code).toBe(4)
      sandbox.setFaults()
      if (path === gone) rmSync(path)
      if (path === changed) writeFileSync(path, 'mine')
      const { run } = await newest(state)
      const more = path === kept ? ['--receipts', output()] : []
      const { code, stderr } = await svc(['runs', 'resume', String(run), '--yes', ...more, ...state.split(' ')])
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('out of date')])
    }
  })

  test('of a run whose record was removed cannot be written, which is said', async () => {
    const state = world.state()
    const [receipts, annotated] = [output(), output()]
    const line = `${deletion(fresh(2))} --once pruned ${state}`.split(' ')
    expect((await svc(line)).code).toBe(0)
    expect((await svc(`runs prune --older-than 0s --yes ${state}`)).code).toBe(0)
    const { run } = JSON.parse((await svc(`runs show pruned --json ${state}`)).stdout) as SummaryDocument
    const { code, stderr } = await svc([...line, '--receipts', receipts, '--annotate', annotated])
    expect(code).toBe(0)
    expect(stderr).toContain(
      `warning: "${receipts}" was not written: the record of run ${run} was removed\n` +
        `warning: "${annotated}" was not written: the record of run ${run} was removed\n`,
    )
  })
})

describe('-q leaves the error', () => {
  test('of a run with unknown outcomes', async () => {
    const state = world.state()
    const { code, stderr } = await under('contacts.delete:1-8=500', `${deletion(fresh(4))} -q ${state}`)
    const { run } = await newest(state)
    expect([code, stderr]).toEqual([
      7,
      'error: batch 1, 2 ids: unknown after 4 attempts: Internal server error (HTTP 500), and 1 more\n' +
        `  svc runs resume ${run}\n`,
    ])
  })

  test('of a run that a limit stopped; in JSON too', async () => {
    const line = `${deletion(fresh(4))} -q --deadline 1ms --json ${world.state()}`
    const { code, stderr } = await under('', line)
    expect(code).toBe(8)
    expect(JSON.parse(stderr)).toMatchObject({
      type: 'error',
      error: {
        category: 'limit',
        exitCode: 8,
        message: expect.stringMatching(/^stopped: the deadline has passed$/) as string,
      },
    })
  })

  test('and nothing for one that finished, or was told of already', async () => {
    expect(await under('', `${deletion(busy.slice(0, 2))} -q ${world.state()}`)).toMatchObject({ code: 3, stderr: '' })
    const refused = await under('contacts.delete:1=404', `${deletion(fresh(4))} -q ${world.state()}`)
    expect(refused.code).toBe(6)
    expect(refused.stderr.match(/^error:/gm)).toHaveLength(1)
  })
})

test('a batch that was refused before any was accepted: others in flight may have ended well', async () => {
  const line = deletion(fresh(6)).replace('--concurrency 1', '--concurrency 2')
  const { code, stderr } = await under('contacts.delete:1=404', `${line} ${world.state()}`)
  expect(code).toBe(6)
  expect(stderr).toContain(
    'note: stopped: the service refused a batch before it had accepted any, so no new batch was started\n',
  )
})

test('ids that have an outcome which may need somebody are listed by that outcome', async () => {
  const state = world.state()
  const { stderr } = await svc(`${deletion([...busy.slice(0, 1), ...world.absent(1)])} ${state}`)
  const { run } = await newest(state)
  expect(stderr).toContain(
    `note: to list the ids that ended as blocked or not-found:\n  svc runs export ${run} --outcome blocked,not-found\n`,
  )
})

test('runs show says how the run ended, and how much is left', async () => {
  const state = world.state()
  await under('contacts.delete:2=401', `${deletion(fresh(4))} ${state}`)
  expect((await svc(`runs show --last ${state}`)).stderr).toMatch(/\n {2}status: stopped \(auth\), 2 left to resume\n$/)
  expect((await svc(`runs resume --last --yes ${state}`)).code).toBe(0)
  expect((await svc(`runs show --last ${state}`)).stderr).toMatch(/\n {2}status: complete\n$/)
})
