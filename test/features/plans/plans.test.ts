/** svc plans: what only a changed file, another process or a clock in the middle of a question shows. All else is in test/transcripts/plans.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { hold } from '../../runs/recorded-run.ts'
import { typing, type Options } from '../../svc.ts'
import { createBulkWorld, recordedRuns, runFile } from '../../runs/bulk-world.ts'
import { bury, linesIn, rewrite, withChecksum } from '../../runs/run-files.ts'

const world = await createBulkWorld({ contacts: 400 })
const { sandbox, svc, state } = world
let plans = 0

/** The path of a plan to delete three contacts. */
async function plan(words = ''): Promise<string> {
  const path = join(world.folder, `${(plans += 1)}.plan`)
  const ids = world.file('planned', world.fresh(3))
  await svc(`contacts delete --file ${ids} --plan ${path} ${words}`)
  return path
}

/** How it ended, and the bodies of the changes that were sent meanwhile. */
async function sent(line: string, options: Options) {
  const { result, requests } = await world.requestsOf(line, options)
  const writes = requests.filter(({ method }) => method !== 'GET')
  return { ...result, writes: writes.map(({ body }) => body) }
}

const day = 24 * 3600_000

/** That it ended so, said why, and sent nothing. */
const refusal = (code: number, why: string): object => ({
  code,
  writes: [],
  stdout: '',
  stderr: expect.stringContaining(why),
})

it("plans show lets the planner's words imitate no other row", async () => {
  const path = await plan('--reason x')
  const profile = 'prod" (https://bank.example)\u202e\nService     https://bank.example'
  const reason = 'x\nService     https://bank.example'
  writeFileSync(
    path,
    linesIn(path)
      .map((line) => withChecksum(line.t === 'plan' ? { ...line, profile, reason } : line))
      .join(''),
  )
  const { stdout } = await svc(`plans show ${path}`)
  const rows = stdout.split('\n').filter((line) => line.startsWith('Service'))
  expect(rows).toEqual([expect.stringContaining(`Service     ${sandbox.baseUrl}, key `)])
  expect(stdout).toContain(
    'Profile     "prod\\" (https://bank.example)\\u{202e}\\nService     https://bank.example"\n',
  )
})

it('plans show says when a run that applies it was interrupted, or is at work', async () => {
  const [path, folder] = [await plan('batches-of=1'), state()]
  const shown = async () =>
    JSON.parse((await svc(`plans show ${path} --json ${folder}`)).stdout) as object
  sandbox.setFaults('contacts.delete:2+=401')
  await svc(`plans apply ${path} --yes batches-of=1 --concurrency 1 ${folder}`)
  sandbox.setFaults()
  // As a killed process leaves it, and while another one works on it.
  const [run = ''] = recordedRuns(folder)
  const file = runFile(folder, run)
  rewrite(file, (lines) => lines.filter(({ t }) => t !== 'end' && t !== 'free'))
  bury(file)
  expect(await shown()).toMatchObject({
    state: expect.stringMatching(/^applied by run \S+: interrupted, 2 ids left$/) as string,
    application: { exitCode: null, left: 2 },
  })
  const held = await hold(file)
  expect(await shown()).toMatchObject({
    state: expect.stringMatching(new RegExp(`^applied by run ${run}: working`)) as string,
  })
  await held.release()
})

it('a plan that expired is refused, also while its question is open', async () => {
  const path = await plan()
  expect(
    await sent(`plans apply ${path} --yes ${state()}`, { clockOffset: 8 * day }),
  ).toMatchObject(refusal(6, 'it expired on '))
  const [asked, clock] = [typing('3'), vi.spyOn(Date, 'now')]
  const terminal = () => {
    clock.mockReturnValue(performance.timeOrigin + 8 * day)
    return asked.terminal()
  }
  const folder = state()
  const ended = await sent(`plans apply ${path} ${folder}`, { terminal })
  clock.mockRestore()
  expect(ended).toMatchObject(refusal(6, 'it expired on '))
  expect(asked.shown()).toContain('Delete 3 contacts')
  expect((await svc(`runs list -o ids ${folder}`)).stdout).toBe('')
})
