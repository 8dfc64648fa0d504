/** svc plans: what was reviewed is sent, once, and nothing else is. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, test, vi } from 'vitest'
import { hold } from '../../runs/recorded-run.ts'
import { typing } from '../../svc.ts'
import { recordedRuns, runFile } from '../../runs/bulk-world.ts'
import { bury, linesIn, rewrite, withChecksum } from '../../runs/run-files.ts'
import { createPlanWorld, contentOf } from './plan-world.ts'

const world = await createPlanWorld({ contacts: 400 })
const { sandbox, svc, sent, plan, state, at } = world
const { examples } = sandbox
const day = 24 * 3600_000

/** That it ended so, said why, and sent nothing. */
const refusal = (code: number, why: string): object => ({
  code,
  writes: [],
  stdout: '',
  stderr: expect.stringContaining(why),
})

const shownOf = async (line: string, options = {}) => {
  const { code, stdout } = await svc(`plans show ${line}`, options)
  const { stdout: json } = await svc(`plans show ${line} --json`, options)
  const facts = Object.fromEntries(
    Array.from(stdout.matchAll(/^(\S+(?: \S+)?) {2,}(.*)$/gm), ([, name, value]) => [name, value]),
  ) as Record<string, string>
  return { code, facts, ...(JSON.parse(json) as { state: string; plan: string }) }
}

describe('a plan', () => {
  it('is written with a key that may only read, and applied exactly, once', async () => {
    const path = await plan('--reason "DSAR 4711"')
    const { plan: line, items } = contentOf(path)
    const ids = items.map(([id]) => id)
    expect(line).toMatchObject({
      t: 'plan',
      schema: 'svc.plan/3',
      operation: 'contacts.delete',
      baseUrl: sandbox.baseUrl,
      input: { read: 3, unique: 3 },
      reason: 'DSAR 4711',
    })
    const apply = `plans apply ${path} --yes ${state()}`
    const body = JSON.stringify({ contactIds: ids })
    const { plan: digest } = await shownOf(path)
    expect(await sent(`${apply} --json`)).toMatchObject({
      code: 0,
      writes: [body],
      stdout: expect.stringContaining(`"name": "plan-${digest}"`) as string,
    })
    const nothingLeft = {
      code: 0,
      writes: [],
      stderr: expect.stringContaining('nothing was sent') as string,
    }
    expect(await sent(apply, { clockOffset: 9 * day })).toMatchObject(nothingLeft)
  })

  it('is told in the JSON of its command as plans show tells it', async () => {
    const planFile = at('told.plan')
    const ids = world.file('told', world.fresh(2))
    const { stdout } = await svc(`contacts delete --file ${ids} --plan ${planFile} --json`)
    const summary = JSON.parse(stdout) as Record<string, unknown>
    expect(summary).toMatchObject({ planFile, input: { unique: 2 } })
    const { plan: digest, expiresAt } = summary
    expect(await shownOf(planFile)).toMatchObject({ plan: digest, expiresAt })
    expect(execFileSync('sha256sum', [planFile]).toString()).toContain(digest)
  })

  it('replaces no file, and is not written with what is no plan', async () => {
    const [path, id] = [await plan(), world.fresh(1)[0]]
    const before = readFileSync(path)
    expect(await sent(`contacts delete ${id} --plan ${path}`)).toMatchObject(
      refusal(2, 'already exists'),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
    for (const words of [`--plan ${at('no.plan')} --once x`, `--plan ${at('no.plan')} --dry-run`]) {
      expect(await sent(`contacts delete ${id} ${words}`)).toMatchObject({ code: 2, writes: [] })
    }
    expect(existsSync(at('no.plan'))).toBe(false)
  })

  it('a plan of pairs keeps the lines of its input', async () => {
    const [one = '', two = '', three = '', four = ''] = world.fresh(4)
    const rows = ['source,target', '', `${one},${two}`, `${one},${two}`, '', `${three},${four}`]
    const table = world.file('pairs.csv', rows)
    const path = await plan('', `contacts merge --file ${table}`)
    expect(contentOf(path).items).toEqual([
      [one, 3, two],
      [three, 6, four],
    ])
    const receipts = world.output('csv')
    expect(await sent(`plans apply ${path} --yes --receipts ${receipts} ${state()}`)).toMatchObject(
      { code: 0 },
    )
    expect(readFileSync(receipts, 'utf8')).toMatch(new RegExp(`${one},3,done,[^]*${three},6,done,`))
  })
})

describe('plans show', () => {
  it('shows conditions, rows that were left out, and tickets under their own headings', async () => {
    const [ticket = ''] = examples.assignableTickets
    const rows = ['ticket,employee,keep', `${ticket},${examples.employee},yes`, `${ticket},x,no`]
    const table = world.file('handover.csv', rows)
    const condition = `--if-assignee ${examples.employee}`
    const path = await plan(`${condition} --where keep=yes`, `tickets assign --file ${table}`)
    const { facts } = await shownOf(path)
    expect(facts).toMatchObject({
      With: condition,
      Input: '1 read, 0 duplicates, 0 invalid, 1 row left out',
    })
    const { stdout } = await sent(`plans show ${path} --who`)
    expect(stdout).toMatch(new RegExp(`TICKET +EMPLOYEE\n${ticket} +${examples.employee}`))
  })

  it('has its rows in JSON as the table has them, as many as --limit says', async () => {
    const path = await plan()
    const ids = contentOf(path).items.map(([id]) => id)
    const shown = async (words: string) => {
      const { stdout } = await svc(`plans show ${path} --json ${words}`)
      return (JSON.parse(stdout) as { items: unknown }).items
    }
    expect(await shown('')).toEqual(ids.map((id) => ({ id, other: null })))
    const [row, more] = (await shown('--limit 1 --who')) as object[]
    expect([row, more]).toEqual([
      {
        id: ids[0],
        other: null,
        name: expect.stringMatching(/./),
        otherName: '',
        lists: expect.any(Array) as unknown,
      },
      undefined,
    ])
  })

  it("lets the planner's words imitate no other row", async () => {
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

  it('says when it was applied and how that ended, in its state folder alone', async () => {
    const [path, folder] = [await plan('batches-of=1'), state()]
    const shown = (more = folder, options = {}) => shownOf(`${path} ${more}`, options)
    const applicable = { code: 0, state: 'ready to apply', application: null }
    expect(await shown()).toMatchObject(applicable)
    sandbox.setFaults('contacts.delete:2+=401')
    const apply = `plans apply ${path} --yes batches-of=1 --concurrency 1 ${folder}`
    expect(await svc(apply)).toMatchObject({ code: 4 })
    sandbox.setFaults()
    expect(await shown()).toMatchObject({
      state: expect.stringMatching(/^applied on \S+ \(.*\) by run \S+: stopped, 2 ids left$/),
      application: { exitCode: 4, left: 2 },
    })
    // As a killed process leaves it, and while another one works on it.
    const [run = ''] = recordedRuns(folder)
    const file = runFile(folder, run)
    const whole = readFileSync(file)
    rewrite(file, (lines) => lines.filter(({ t }) => t !== 'end' && t !== 'free'))
    bury(file)
    expect(await shown()).toMatchObject({
      state: expect.stringMatching(/^applied by run \S+: interrupted, 2 ids left$/),
      application: { exitCode: null, left: 2 },
    })
    const held = await hold(file)
    expect(await shown()).toMatchObject({
      state: expect.stringMatching(new RegExp(`^applied by run ${run}: working`)),
    })
    await held.release()
    writeFileSync(file, whole)
    // Where the run that applies it sends the rest, also after the plan expired.
    const late = await world.minutesOn(9 * 24 * 60, '', (options) => sent(apply, options))
    expect(late).toMatchObject({ code: 0 })
    const applied = {
      code: 0,
      state: expect.stringMatching(/^applied on \S+ \(.*\) by run \S+: complete$/) as string,
      application: { exitCode: 0, left: 0 },
    }
    expect(await shown()).toMatchObject(applied)
    expect(await shown(state())).toMatchObject(applicable)
    expect(await shown(folder, { clockOffset: 9 * day })).toMatchObject({
      code: 6,
      state: applied.state,
      isExpired: true,
    })
  })
})

describe('nothing is sent', () => {
  it('another file than the one with the digest is refused', async () => {
    const [path, another] = [await plan(), await plan()]
    const { plan: digest } = await shownOf(path)
    const words = `--sha256 ${digest.toUpperCase()} --yes ${state()}`
    expect(await sent(`plans apply ${another} ${words}`)).toMatchObject(
      refusal(6, `and --sha256 says ${digest}; nothing was sent`),
    )
    expect(await sent(`plans apply ${path} --sha256 ${digest.slice(1)} --yes`)).toMatchObject(
      refusal(2, '--sha256 takes 64 hexadecimal digits'),
    )
    expect(await sent(`plans apply ${path} ${words}`)).toMatchObject({ code: 0 })
  })

  it('a plan for another service, a pipe and no file are refused', async () => {
    const [path, pipe] = [await plan(), at('pipe')]
    execFileSync('mkfifo', [pipe])
    for (const verb of ['show', 'apply --yes']) {
      expect(await sent(`plans ${verb} ${pipe}`)).toMatchObject(refusal(2, 'is not a plan'))
      expect(await sent(`plans ${verb} ${at('none')}`)).toMatchObject(refusal(2, 'no such file'))
    }
    const env = { SVC_BASE_URL: sandbox.baseUrl.replace('127.0.0.1', 'localhost') }
    expect(await sent(`plans apply ${path} --yes ${state()}`, { env })).toMatchObject(
      refusal(6, `it is for ${sandbox.baseUrl}`),
    )
  })

  it('a plan for another path of the same host is refused', async () => {
    const path = at('path.plan')
    const env = { SVC_BASE_URL: `${sandbox.baseUrl}/eu` }
    const ids = world.file('path', world.fresh(2))
    await svc(`contacts delete --file ${ids} --plan ${path}`, { env })
    expect(await sent(`plans apply ${path} --yes ${state()}`)).toMatchObject(
      refusal(6, `it is for ${sandbox.baseUrl}/eu`),
    )
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

  it('an option that changes what is sent, or does not fit the plan, is refused', async () => {
    const path = await plan()
    for (const [words, why] of [
      ['--once x', '--once'],
      ['--expect 3', '--expect'],
      ['--file x', '--file needs --annotate'],
      ['--accept no-such-outcome', 'no-such-outcome'],
      ['--accept deleted', 'deleted'],
      ['--max-delete 2', '--max-delete'],
    ] as const) {
      const line = `plans apply ${path} ${words} --yes ${state()}`
      expect(await sent(line)).toMatchObject(refusal(2, why))
    }
  })
})

test('applying writes the rows of the input again, wherever it lies by now', async () => {
  const [a = '', b = ''] = world.fresh(2)
  const rows = ['id,keep,name', `${a},no,Ann`, `${b},no,Bob`, `${'0'.repeat(24)},yes,Cleo`]
  const input = world.file('rows.csv', rows)
  const path = await plan('--where keep=no', `contacts delete --file ${input}`)
  const [moved, out] = [at('moved.csv'), at('done.csv')]
  renameSync(input, moved)
  const apply = `plans apply ${path} --yes ${state()}`
  expect(await sent(`${apply} --annotate ${out} --file ${moved}`)).toMatchObject({ code: 0 })
  const written = readFileSync(out, 'utf8').replace('\ufeff', '').trimEnd().split(/\r?\n/)
  expect(written).toEqual([
    'id,keep,name,OUTCOME,REASON',
    `${a},no,Ann,deleted,`,
    `${b},no,Bob,deleted,`,
    expect.stringMatching(/^0{24},yes,Cleo,left-out,./),
  ])
  // The same command again, for a file that was lost, and from yet another place.
  rmSync(out)
  renameSync(moved, at('again.csv'))
  expect(await sent(`${apply} --annotate ${out} --file ${at('again.csv')}`)).toMatchObject({
    code: 0,
    writes: [],
  })
  expect(readFileSync(out, 'utf8')).toContain(`${b},no,Bob,deleted`)
})
