/** svc plans: what was reviewed and approved is sent, once, and nothing else is. */
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test, vi } from 'vitest'
import { typing } from '../svc.ts'
import { takeLock } from '../../src/disk/take.ts'
import { realHost } from '../host.ts'
import { PlanFile, type PlanDocument } from '../../src/plans/plan-file.ts'
import { createPlanWorld } from './plan-world.ts'

const world = await createPlanWorld({ contacts: 400 })
const {
  sandbox,
  svc,
  sent,
  plan,
  approve,
  approved,
  state,
  none,
  allow,
  usual,
  at,
  sign,
  publicKey,
} = world
const day = 24 * 3600_000

const idsOf = (path: string): string[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as { ids: string[] }).ids

describe('a plan', () => {
  it('is written with a key that may only read, approved by hand, and applied exactly, once', async () => {
    const path = await plan('--reason "DSAR 4711" --expires 2d')
    const ids = idsOf(path)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      schema: 'svc.plan/1',
      operation: 'contacts.delete',
      baseUrl: sandbox.baseUrl,
      input: { read: 3, unique: 3 },
      reason: 'DSAR 4711',
    })
    const folder = state()
    expect(await sent(`plans apply ${path} --yes ${folder}`)).toMatchObject({ code: 5, writes: [] })
    const typed = typing('3')
    const made = await svc(`plans approve ${path} --key ${at('ben')} --json`, {
      terminal: typed.terminal,
    })
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Reason: DSAR 4711') as string,
    })
    expect(typed.shown()).toContain('Approve: delete 3 contacts? Type 3:')
    const { signature, key } = JSON.parse(made.stdout) as { signature: string; key: string }
    expect(signature).toBe(`${path}.${key.slice(0, 16)}.sig`)
    expect(await sent(`plans apply ${path} --yes ${folder}`)).toMatchObject({
      code: 0,
      writes: [JSON.stringify({ contactIds: ids })],
    })
    const again = await sent(`plans apply ${path} --yes ${folder}`, { clockOffset: 9 * day })
    expect(again).toMatchObject({
      code: 0,
      writes: [],
      stderr: expect.stringContaining('nothing was sent') as string,
    })
    await svc(`runs prune --older-than 0s --names --yes ${folder}`)
    expect(await sent(`plans apply ${path} --yes ${folder}`)).toMatchObject({ code: 0, writes: [] })
  })

  it('is told in the JSON of its command as plans show tells it', async () => {
    const ids = world.file('told', world.fresh(2))
    const summaryOf = async (words: string, name: string) => {
      const line = `contacts delete --file ${ids} --plan ${at(name)} --key ${at('ana')} --json`
      const { stdout } = await svc(`${line} ${words}`)
      return JSON.parse(stdout) as Record<string, unknown>
    }
    const planFile = at('told.plan')
    const summary = await summaryOf('--who', 'told.plan')
    const shown = JSON.parse((await svc(`plans show ${planFile} --json`)).stdout) as object
    expect(shown).toMatchObject({ plan: summary['plan'], expiresAt: summary['expiresAt'] })
    const peopleFile = `${planFile}.people.ndjson`
    expect(summary).toMatchObject({ input: { unique: 2 }, planFile, peopleFile })
    expect(existsSync(peopleFile)).toBe(true)
    expect(await summaryOf('', 'nameless.plan')).toMatchObject({ peopleFile: null })
    const fields = 'plan,planFile,expiresAt,peopleFile'
    const chosen = await summaryOf(`--fields ${fields}`, 'chosen.plan')
    expect(Object.keys(chosen).join(',')).toBe(fields)
  })

  it('is shown with who signed it, and what signs nothing', async () => {
    const path = await approved()
    appendFileSync(`${path}.0123456789abcdef.sig`, 'no signature')
    expect((await svc(`plans show ${path}`)).stdout).toMatch(
      /State +it can be applied\n[^]*ana@example.com \(author, key [0-9a-f]{16}\), ben@example.com \(approval, key [0-9a-f]{16}\), 1 signature counts for nothing\n/,
    )
    expect(JSON.parse((await svc(`plans show ${path} --json`)).stdout)).toMatchObject({
      approvalsNeeded: 1,
      author: { principal: 'ana@example.com' },
      approvals: [{ principal: 'ben@example.com' }],
    })
    // Without a policy nobody is known.
    expect((await svc(`plans show ${path}`, { ...none, clockOffset: 4 * day })).code).toBe(6)
    const plain = await svc(`plans show ${path}`, none)
    expect(plain).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('3 files, not checked') as string,
    })
  })

  it('that was applied is shown with when and how that ended, in its state folder alone', async () => {
    const [path, folder] = [await approved('batches-of=1'), state()]
    const shown = async (more = folder, options = {}) => {
      const line = `plans show ${path} ${more}`
      const { stdout } = await svc(line, options)
      const { code, stdout: json } = await svc(`${line} --json`, options)
      const words = /^State +(.*)$/m.exec(stdout)?.[1]
      return { code, words, ...(JSON.parse(json) as object) }
    }
    const applicable = { code: 0, words: 'it can be applied', canApply: true, application: null }
    expect(await shown()).toMatchObject(applicable)
    sandbox.setFaults('contacts.delete:2+=401')
    expect(await svc(`plans apply ${path} --yes ${folder} --concurrency 1`)).toMatchObject({
      code: 4,
    })
    sandbox.setFaults()
    expect(await shown()).toMatchObject({
      words: expect.stringMatching(
        /^it was applied: run \S+ ended with 4 on \S+ \(.*\), with 2 left to apply$/,
      ) as string,
      canApply: true,
      application: { exitCode: 4, left: 2 },
    })
    // As a killed process leaves it.
    const runs = join(folder.replace('--state-dir ', ''), 'runs')
    const journal = join(runs, readdirSync(runs)[0] ?? '', 'journal.ndjson')
    const whole = readFileSync(journal, 'utf8')
    writeFileSync(journal, whole.replace(/\{"t":"end".*\n$/, ''))
    expect(await shown()).toMatchObject({
      words: expect.stringMatching(
        /^it was applied on \S+ \(.*\): run \S+ has no end on record$/,
      ) as string,
      canApply: true,
      application: { endedAt: null, exitCode: null, left: null },
    })
    writeFileSync(journal, whole)
    expect(await svc(`plans apply ${path} --yes ${folder}`)).toMatchObject({ code: 0 })
    const applied = {
      code: 0,
      words: expect.stringMatching(
        /^it was applied: run \S+ ended with 0 on \S+ \(.*\)$/,
      ) as string,
      canApply: false,
      reasons: [expect.stringContaining('it was applied') as string],
      application: { exitCode: 0, left: 0 },
    }
    expect(await shown()).toMatchObject(applied)
    expect(await shown(state())).toMatchObject(applicable)
    await svc(`runs prune --older-than 0s --yes ${folder}`)
    expect(await shown()).toMatchObject(applied)
    const late = await shown(folder, { clockOffset: 9 * day })
    expect(late).toMatchObject({
      code: 6,
      words: expect.stringMatching(/^it was applied: .*; it expired on /) as string,
    })
  })

  it('passes over a file that is too large for a signature, and names it', async () => {
    const path = await approved()
    const large = `${path}.0123456789abcdef.sig`
    writeFileSync(large, 'x'.repeat(1 << 20))
    const note = `note: not read, because it is too large for a signature: "${large}"\n`
    expect(await svc(`plans show ${path}`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(note) as string,
    })
    expect(await svc(`plans apply ${path} --yes ${state()}`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(note) as string,
    })
    const named = await svc(`plans apply ${await plan()} --approval ${large} --yes ${state()}`)
    expect(named).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the signature "${large}" is too large`) as string,
    })
  })

  it('needs no signature without a policy that wants one, and is bound all the same', async () => {
    const [path, ids] = [at('free.plan'), world.fresh(2)]
    const line = `contacts delete ${ids.join(' ')} --plan ${path}`
    expect(await sent(line, none)).toMatchObject({ code: 0, writes: [] })
    expect((await svc(line, none)).stderr).toContain('exists already')
    writeFileSync(
      at('bad.plan'),
      readFileSync(path, 'utf8').replace(String(ids[0]), String(world.free[399])),
    )
    expect(await sent(`plans apply ${at('bad.plan')} --yes ${state()}`, none)).toMatchObject({
      code: 6,
      writes: [],
    })
    const applied = await sent(`plans apply ${path} --yes ${state()}`, none)
    expect(applied).toMatchObject({ code: 0, writes: [JSON.stringify({ contactIds: ids })] })
  })
})

test('a plan whose signature cannot be written is not there either', async () => {
  const path = at('half.plan')
  const there = `${path}.${world.keyOf('ana').slice(0, 16)}.sig`
  writeFileSync(there, 'mine')
  const line = `contacts delete ${world.fresh(1)[0]} --plan ${path} --key ${at('ana')} --who`
  expect(await sent(line)).toMatchObject({ code: 2, stdout: '', writes: [] })
  expect([existsSync(path), existsSync(`${path}.people.ndjson`)]).toEqual([false, false])
  expect(readFileSync(there, 'utf8')).toBe('mine')
})

test('a plan that a process is applying is shown as that, and cannot be applied beside it', async () => {
  const [path, folder] = [await approved('batches-of=1'), state()]
  sandbox.setFaults('contacts.delete:2+=401')
  await svc(`plans apply ${path} --yes ${folder} --concurrency 1`)
  sandbox.setFaults()
  const runs = join(folder.replace('--state-dir ', ''), 'runs')
  const [run = ''] = readdirSync(runs)
  const journal = join(runs, run, 'journal.ndjson')
  writeFileSync(journal, readFileSync(journal, 'utf8').replace(/\{"t":"end".*\n$/, ''))
  const lock = await takeLock(realHost, join(runs, run), { what: 'a run' })
  const { stdout } = await svc(`plans show ${path} --json ${folder}`)
  const out = at('evidence-of-a-running-one')
  const evidence = await svc(`runs evidence ${run} --out-dir ${out} ${folder}`)
  await lock.release()
  expect(JSON.parse(stdout)).toMatchObject({
    canApply: false,
    state: expect.stringMatching(new RegExp(`^run ${run} is applying it since `)) as string,
    application: { run, endedAt: null },
  })
  expect([evidence.code, existsSync(out)]).toEqual([11, false])
})

test('rows of the table that were left out are counted where a plan is shown', async () => {
  const [one, other] = world.fresh(2)
  const table = world.file('kept.csv', ['id,keep', `${one},yes`, `${other},no`])
  const { stdout } = await svc(
    `plans show ${await plan('--where keep=yes', `contacts delete --file ${table}`)}`,
  )
  expect(stdout).toContain('1 read, 0 duplicates, 0 invalid, 1 row left out\n')
})

test('names of people stand in a file beside the plan, which can be destroyed', async () => {
  const path = await approved('--who')
  const people = `${path}.people.ndjson`
  const lines = readFileSync(people, 'utf8')
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each) as { id: string; lists: string[] })
  expect(lines.map(({ id }) => id)).toEqual(idsOf(path))
  const list = lines.flatMap(({ lists }) => lists).find((name) => name.startsWith('Campaign'))
  const named = async (): Promise<string> => (await svc(`plans show ${path} -o csv`)).stdout
  expect(await named()).toContain(list)
  expect(readFileSync(path, 'utf8')).not.toContain(list)
  // Whoever approves sees them above the question.
  const asked = async (): Promise<string> => {
    const { terminal, shown } = typing('4', '')
    const { stderr } = await svc(`plans approve ${path} --key ${at('cleo')}`, { terminal })
    return `${stderr}${shown()}`.replaceAll(/\s+/g, ' ')
  }
  expect(await asked()).toMatch(
    new RegExp(`--out ${path}.xlsx [^]*who they are:[^]*${idsOf(path)[0]}[^]*Approve:`),
  )
  appendFileSync(people, '{}\n')
  const changed = await svc(`plans show ${path} -o csv`)
  expect(changed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('its names are not shown') as string,
  })
  expect(changed.stdout).not.toContain(list)
  expect(await asked()).toMatch(/its names are not shown[^]*Approve:/)
  rmSync(people)
  expect(await asked()).toMatch(/names are missing: there is no [^]*Approve:/)
  expect((await svc(`plans apply ${path} --yes ${state()}`)).code).toBe(0)
})

test.each([
  ['without a line', '', 'names are missing: "'],
  ['with a line that is no person', '{}\n', 'has lines that svc did not write'],
  ['with a line that is no JSON', 'Ana\n', 'has lines that svc did not write'],
])(
  'a file of names %s names nobody, even when the plan is bound to it',
  async (_, text, problem) => {
    const document = JSON.parse(readFileSync(await plan(), 'utf8')) as PlanDocument
    const path = at(`${problem.split(' ')[1]}-${text.length}.plan`)
    const peopleSha256 = createHash('sha256').update(text).digest('hex')
    writeFileSync(path, PlanFile.of({ ...document, peopleSha256 }).bytes)
    writeFileSync(`${path}.people.ndjson`, text)
    const { code, stderr } = await svc(`plans show ${path} -o csv`)
    expect(code).toBe(0)
    expect(stderr).toContain(problem)
  },
)

test('batches of a plan are as large as they were planned', async () => {
  const path = await approved('batches-of=2')
  const { code, writes } = await sent(`plans apply ${path} --yes ${state()}`)
  expect(code).toBe(0)
  const bodies = writes.map((body) => JSON.parse(body) as { contactIds: readonly string[] })
  expect(bodies.map(({ contactIds }) => contactIds.length).toSorted((a, b) => a - b)).toEqual([
    1, 2,
  ])
})

describe('nothing is sent', async () => {
  const wrong = await approved()
  approve('eve', wrong)
  test.each<[what: string, code: number, line: string, owner: 'ben' | 'eve']>([
    ['is for something else only', 5, 'ben@example.com namespaces="git"', 'ben'],
    ['has expired', 5, 'ben@example.com valid-before="20200101"', 'ben'],
    ['has an invisible character', 2, 'e\u200bve@example.com', 'eve'],
    ['has two names', 2, 'eve@example.com,cleo@example.com', 'eve'],
    ['is an exception', 2, '!eve@example.com', 'eve'],
    ['has a question mark', 2, 'e?e@example.com', 'eve'],
    ['is a pattern', 2, '*@example.com', 'eve'],
    ['is an authority', 2, 'eve@example.com cert-authority', 'eve'],
    [
      'has an option that is not quoted',
      2,
      'eve@example.com namespaces=svc-plan,cert-authority',
      'eve',
    ],
    ['is behind what is no key', 2, 'eve@example.com ssh-ed25519 AAAA\nx@example.com', 'eve'],
  ])('where a line of signers %s', async (_, code, line, owner) => {
    allow(...(owner === 'ben' ? usual.slice(0, 1) : usual), `${line} ${publicKey(owner)}`)
    const result = await sent(`plans apply ${wrong} --yes ${state()}`)
    allow(...usual)
    expect(result).toMatchObject({ code, writes: [], stdout: '' })
  })

  it('of a plan whose approver may not sign any more, in whatever time zone a variable says that this machine is', async () => {
    const ended = new Date(Date.now() - 3600_000).toISOString().slice(0, 19).replace(/[-T:]/g, '')
    const path = await approved()
    const zone = process.env['TZ']
    process.env['TZ'] = 'Pacific/Honolulu'
    try {
      allow(usual[0] ?? '', `ben@example.com valid-before="${ended}" ${publicKey('ben')}`)
      expect(await sent(`plans apply ${path} --yes ${state()}`)).toMatchObject({
        code: 5,
        writes: [],
        stdout: '',
      })
    } finally {
      process.env['TZ'] = zone
      allow(...usual)
    }
  })

  it('of a plan for another service, or when two approvals are wanted and one is there', async () => {
    const path = await approved()
    const elsewhere = { SVC_BASE_URL: sandbox.baseUrl.replace('127.0.0.1', 'localhost') }
    expect(await sent(`plans apply ${path} --yes ${state()}`, { env: elsewhere })).toMatchObject({
      code: 6,
      writes: [],
    })
    world.policy(2)
    expect(await sent(`plans apply ${path} --yes ${state()}`)).toMatchObject({
      code: 5,
      writes: [],
    })
    const other = at('cleo.sig')
    // As git leaves it where it changes line ends.
    writeFileSync(other, sign('cleo', readFileSync(path)).replaceAll('\n', '\r\n'))
    const both = await sent(`plans apply ${path} --approval ${other} --yes ${state()}`)
    world.policy()
    expect(both).toMatchObject({ code: 0, writes: [JSON.stringify({ contactIds: idsOf(path) })] })
  })

  it('of a plan that expires while its question is open', async () => {
    const path = await approved()
    const [asked, clock] = [typing('3'), vi.spyOn(Date, 'now')]
    const terminal = () => {
      clock.mockReturnValue(performance.timeOrigin + 4 * day)
      return asked.terminal()
    }
    const folder = state()
    const ended = await sent(`plans apply ${path} ${folder}`, { terminal })
    clock.mockRestore()
    expect(ended).toMatchObject({
      code: 6,
      writes: [],
      stderr: expect.stringContaining('it expired on ') as string,
    })
    expect(asked.shown()).toContain('Delete 3 contacts')
    expect((await svc(`runs list -o ids ${folder}`)).stdout).toBe('')
  })

  it('with an outcome that does not exist or is done anyway, or a state folder that depends on the current one', async () => {
    const path = await approved()
    for (const [words, why] of [
      ['--accept no-such-outcome', 'no-such-outcome'],
      ['--accept deleted', 'not "deleted"'],
      ['--accept missing', '--accept of contacts delete takes not-found or blocked, not "missing"'],
      ['--state-dir here', 'the same state folder each time, and --state-dir "here" depends on'],
    ] as const) {
      const folder = words.startsWith('--state-dir') ? '' : state()
      expect(await sent(`plans apply ${path} ${words} --yes ${folder}`)).toMatchObject({
        code: 2,
        writes: [],
        stdout: '',
        stderr: expect.stringContaining(why) as string,
      })
    }
  })

  it('of a plan with more than 64 signatures, beside it and named', async () => {
    const path = await approved()
    for (let n = 0; n < 62; n += 1) {
      writeFileSync(`${path}.${n.toString(16).padStart(16, '0')}.sig`, `no signature ${n}`)
    }
    expect((await svc(`plans show ${path}`)).code).toBe(0)
    const more = at('one more.sig')
    writeFileSync(more, sign('cleo', readFileSync(path)))
    const line = ['plans', 'apply', path, '--yes', '--approval', more, ...state().split(' ')]
    expect(await svc(line)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('has more than 64 signatures') as string,
    })
    rmSync(more)
  })

  it('by an option in place of an approval, nor under the name of a plan', async () => {
    const path = await approved()
    for (const option of ['--shard 1/2', '--isolate', '--once x', '--file x']) {
      expect(await sent(`plans apply ${path} ${option} --yes ${state()}`)).toMatchObject({
        code: 2,
        writes: [],
      })
    }
    const [id] = world.fresh(1)
    const name = `plan-${'0'.repeat(40)}`
    expect(await sent(`contacts delete ${id} --once ${name} --yes ${state()}`)).toMatchObject({
      code: 2,
      writes: [],
    })
    expect(await sent(`contacts delete ${id} --yes ${state()}`)).toMatchObject({
      code: 5,
      writes: [],
    })
    const planned = `contacts delete ${id} --plan ${at('no.plan')}`
    for (const option of [
      '',
      '--key nothing',
      `--key ${at('ana')} --once x`,
      `--key ${at('ana')} --shard 1/2`,
    ]) {
      expect(await sent(`${planned} ${option}`)).toMatchObject({ code: 2, writes: [] })
    }
    expect(existsSync(at('no.plan'))).toBe(false)
  })
})

describe('an approval', () => {
  it('counts by a file of signers with tabs, comments and the line ends and mark of another editor', async () => {
    const path = await approved()
    allow(
      `\ufeff# who may sign\r\n\r\n${usual.map((line) => line.replace(' ', '\t')).join('\r\n')}`,
    )
    const { code, writes } = await sent(`plans apply ${path} --yes ${state()}`)
    allow(...usual)
    expect([code, writes.length]).toEqual([0, 1])
  })

  it('is given by hand, by somebody else than the author', async () => {
    const path = await plan()
    const as = (name: string): string => `plans approve ${path} --key ${at(name)}`
    expect((await svc(`${as('ben')} --yes`)).code).toBe(9)
    expect((await svc(as('ben'), { terminal: typing('4', '').terminal })).code).toBe(9)
    expect((await svc(as('ana'), { terminal: typing('3').terminal })).code).toBe(2)
    expect(
      (await svc(as('ben'), { clockOffset: 4 * day, terminal: typing('3').terminal })).code,
    ).toBe(6)
    expect(
      (await svc(`plans approve ${path}`, { terminal: typing('3').terminal })).stderr,
    ).toContain('there is no key')
    expect((await svc(as('ben'), { terminal: typing('3').terminal })).code).toBe(0)
    expect((await svc(as('ben'), { terminal: typing('3').terminal })).stderr).toContain(
      'has signed the plan already',
    )
    const [bin, said] = [at('spy'), at('environment')]
    mkdirSync(bin)
    writeFileSync(join(bin, 'ssh-keygen'), `#!/bin/sh\nenv >>${said}\n`, { mode: 0o755 })
    await svc(as('cleo'), {
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, OTHER: 'inherited' },
    })
    expect(readFileSync(said, 'utf8')).toMatch(/^OTHER=inherited$/m)
    expect(readFileSync(said, 'utf8')).not.toContain('SVC_API_SECRET')
    rmSync(said)
    const without = await svc(as('cleo'), {
      terminal: typing('3').terminal,
      env: { PATH: '/nowhere' },
    })
    expect(without).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ssh-keygen was not found') as string,
    })
  })

  it('is kept with the run: it is resumed after the plan expired, and not once its approver is nobody', async () => {
    const path = await approved('batches-of=1')
    const folder = state()
    sandbox.setFaults('contacts.delete:2=401')
    expect((await svc(`plans apply ${path} --concurrency 1 --yes ${folder}`)).code).toBe(4)
    sandbox.setFaults()
    allow(usual[0] ?? '')
    const late = { clockOffset: 9 * day }
    for (const command of [
      `plans apply ${path}`,
      'runs resume --last',
      'runs retry --last --outcome not-attempted',
    ]) {
      expect(await sent(`${command} --yes ${folder}`, late)).toMatchObject({ code: 5, writes: [] })
    }
    // His key was good when the run began.
    const ending = new Date(Date.now() + day).toISOString().slice(0, 10).replaceAll('-', '')
    allow(usual[0] ?? '', `ben@example.com valid-before="${ending}" ${publicKey('ben')}`)
    const { code, writes } = await world.minutesOn(9 * 24 * 60, '', (options) =>
      sent(`runs resume --last --yes ${folder}`, options),
    )
    allow(...usual)
    expect({ code, count: writes.length }).toEqual({ code: 0, count: 2 })
  })

  it('is signed with the first key that ssh would look for, unless one is named', async () => {
    const path = await plan()
    const home = at('home')
    mkdirSync(join(home, '.ssh'), { recursive: true })
    for (const [file, owner] of [
      ['id_rsa', 'cleo'],
      ['id_ed25519', 'ben'],
    ] as const) {
      copyFileSync(at(owner), join(home, '.ssh', file))
      copyFileSync(`${at(owner)}.pub`, join(home, '.ssh', `${file}.pub`))
    }
    const { code, stdout } = await svc(`plans approve ${path} --json`, {
      env: { HOME: home },
      terminal: typing('3').terminal,
    })
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { key: world.keyOf('ben') }])
  })
})

test('applying writes the rows of the input again, wherever it lies by now', async () => {
  const [a = '', b = ''] = world.fresh(2)
  const input = world.file('rows.csv', [
    'id,keep,name',
    `${a},no,Ann`,
    `${b},no,Bob`,
    `${'0'.repeat(24)},yes,Cleo`,
  ])
  const path = await approved('--where keep=no', `contacts delete --file ${input}`)
  const [moved, folder, out] = [at('moved.csv'), state(), at('done.csv')]
  renameSync(input, moved)
  const apply = `plans apply ${path} --yes ${folder}`
  for (const [words, why] of [
    [`--annotate ${out}`, '--file <the input>'],
    [
      `--annotate ${out} --file ${world.file('other.csv', ['id', a])}`,
      'was changed since its ids were read',
    ],
    [`--file ${moved}`, '--file goes with --annotate'],
    [`--annotate ${moved} --file ${moved}`, ''],
    [`--annotate ${at('done.txt')}`, '.csv or .xlsx'],
  ])
    expect(await sent(`${apply} ${words}`)).toMatchObject({
      code: 2,
      writes: [],
      stderr: expect.stringContaining(String(why)) as string,
    })
  expect(await sent(`${apply} --annotate ${out} --file ${moved}`)).toMatchObject({ code: 0 })
  const rows = readFileSync(out, 'utf8').replace('\ufeff', '').trimEnd().split(/\r?\n/)
  expect(rows[0]).toBe('id,keep,name,OUTCOME,REASON')
  expect(rows.slice(1)).toEqual([
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

test('a plan whose ids came from no file has no rows to write', async () => {
  const path = await approved('', `contacts delete ${world.fresh(1).join()}`)
  const result = await sent(`plans apply ${path} --annotate ${at('none.csv')} --yes ${state()}`)
  expect(result).toMatchObject({ code: 2, writes: [] })
  expect(result.stderr).toContain('did not come from one file')
})
