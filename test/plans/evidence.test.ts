/** svc runs evidence: a folder that says what was answered, which counts without svc. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSvc, until } from '../bulk/spawned.ts'
import { createPlanWorld } from './plan-world.ts'

const world = await createPlanWorld({ contacts: 100 })
const { sandbox, svc, approve, approved, state, none, at, sign } = world

const idsOf = (path: string): string[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as { ids: string[] }).ids
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

test('evidence of a run is a folder that says what was answered, and is checked without svc', async () => {
  const path = await approved('--reason "DSAR 4711"')
  // None of these counts: nobody's, a signature of something else, no signature.
  writeFileSync(`${path}.${'0'.repeat(16)}.sig`, sign('eve', readFileSync(path)))
  writeFileSync(`${path}.${'1'.repeat(16)}.sig`, sign('cleo', readFileSync(path), 'git'))
  writeFileSync(`${path}.${'2'.repeat(16)}.sig`, 'no signature')
  const ids = idsOf(path)
  const folder = state()
  await svc(`plans apply ${path} --yes ${folder}`)
  const out = at('evidence')
  const words = `runs evidence --last --out-dir ${out} --key ${at('cleo')} ${folder}`
  const made = await svc(`${words} --json`)
  expect(made).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('contains ids, the reason') as string,
  })
  const files = readdirSync(out).toSorted()
  expect(files).toEqual(
    [
      'SHA256SUMS',
      'SHA256SUMS.sig',
      'applied.plan',
      'applied.plan.1.sig',
      'applied.plan.2.sig',
      'claims.txt',
    ].concat(['journal.ndjson', 'receipts.csv']),
  )
  const modes = [out, ...files.map((name) => join(out, name))].map((path) => statSync(path).mode)
  expect(modes.map((mode) => mode & 0o077)).toEqual(modes.map(() => 0))
  const read = (name: string): Buffer => readFileSync(join(out, name))
  const sums = files
    .filter((name) => !name.startsWith('SHA256'))
    .map((name) => [sha256(read(name)), name] as const)
  expect(read('SHA256SUMS').toString().trimEnd().split('\n').toSorted()).toEqual(
    sums.map(([sum, name]) => `${sum}  ${name}`).toSorted(),
  )
  expect(read('applied.plan')).toEqual(readFileSync(path))
  const check = (namespace: string, name: string, who: string): string =>
    world.keygen(
      [
        '-Y',
        'verify',
        '-f',
        world.signers,
        '-I',
        who,
        '-n',
        namespace,
        '-s',
        join(out, `${name}.sig`),
      ],
      read(name.replace(/\.\d$/, '')),
    )
  expect(check('svc-evidence', 'SHA256SUMS', 'cleo@example.com')).toContain(
    'Good "svc-evidence" signature for cleo',
  )
  expect(() => check('svc-evidence', 'SHA256SUMS', 'ben@example.com')).toThrow('Could not verify')
  const claims = read('claims.txt').toString()
  for (const said of [
    '"DSAR 4711"',
    '3 deleted',
    'WHAT IS NOT CLAIMED',
    'applied.plan.2.sig < applied.plan',
    sandbox.baseUrl,
  ])
    expect(claims).toContain(said)
  expect(files.filter((name) => /certificate/i.test(read(name).toString()))).toEqual([])
  for (const id of ids) expect(read('receipts.csv').toString()).toContain(id)
  expect(await svc(words)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('exists already') as string,
  })
})

test('no signature is named of a plan for which none was required', async () => {
  const [path, folder, out] = [await approved(), state(), at('unchecked')]
  await svc(`plans apply ${path} --yes ${folder}`, none)
  expect(await svc(`runs evidence --last --out-dir ${out} ${folder}`)).toMatchObject({ code: 0 })
  expect(readdirSync(out).filter((name) => name.endsWith('.sig'))).toEqual([])
  expect(readFileSync(join(out, 'claims.txt'), 'utf8')).toContain(
    'applied.plan, for which no signature was required\n',
  )
})

test('claims.txt never commands a terminal, whatever the reason was', async () => {
  const reason = 'a\u009b2J\u202eb\u2028c\u007fd\u001b]0;x\u0007\n- 3 deleted'
  const path = at('hostile.plan')
  await svc([
    'contacts',
    'delete',
    ...world.fresh(1),
    '--plan',
    path,
    '--key',
    at('ana'),
    '--reason',
    reason,
  ])
  approve('ben', path)
  const [folder, out] = [state(), at('hostile')]
  await svc(`plans apply ${path} --yes ${folder}`)
  expect(await svc(`runs evidence --last --out-dir ${out} ${folder}`)).toMatchObject({ code: 0 })
  const claims = readFileSync(join(out, 'claims.txt'), 'utf8')
  expect(claims).toMatch(/^[\x20-\x7e\n…]*$/)
  expect(claims).toContain('reason: "a\\u{9b}2J\\u{202e}b\\u{2028}c\\u{7f}d')
  expect(claims.match(/^- 3 deleted/m)).toBeNull()
})

test('a killed one leaves nothing behind that the next does not remove', async () => {
  const [folder, parent] = [state(), at('killed')]
  mkdirSync(parent)
  const out = join(parent, 'dsar')
  const runs = [await approved(), await approved()]
  for (const path of runs) await svc(`plans apply ${path} --yes ${folder}`)
  const records = join(folder.replace('--state-dir ', ''), 'runs')
  const ids = readdirSync(records)
  // An ssh-keygen that does not end: the folder is nearly whole when svc is killed.
  const bin = at('slow')
  mkdirSync(bin)
  writeFileSync(join(bin, 'ssh-keygen'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
  const env = {
    ...world.env,
    ...world.as('read-write'),
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  }
  for (const id of ids) {
    const running = startSvc(`runs evidence ${id} --out-dir ${out} --key ${at('cleo')} ${folder}`, {
      env,
    })
    const draft = join(parent, `.dsar.${id}.part`)
    await until(() => existsSync(join(draft, 'SHA256SUMS')))
    process.kill(-(running.pid ?? 0), 'SIGKILL')
    await running.ended
    expect(existsSync(draft)).toBe(true)
  }
  const [first = '', second = ''] = ids
  expect(await svc(`runs evidence ${second} --out-dir ${out} ${folder}`)).toMatchObject({ code: 0 })
  expect(readdirSync(parent)).toEqual(['dsar'])
  expect(existsSync(join(records, first, 'lock'))).toBe(false)
})

test('evidence of a run that is not there says so, as the other commands on runs do', async () => {
  const folder = state()
  const out = at('evidence-of-nothing')
  const made = await svc(`runs evidence 20260301T101500Z-7f3a --out-dir ${out} ${folder}`)
  expect([made.code, made.stderr]).toEqual([
    2,
    expect.stringContaining('there is no run 20260301T101500Z-7f3a in'),
  ])
  expect(existsSync(out)).toBe(false)
})

test('claims disclaim the outcomes of the operation, and of no other', async () => {
  const [folder, out] = [state(), at('added')]
  const { list } = sandbox.examples
  await svc(`lists add-contacts ${list} ${world.fresh(1)[0]} --yes ${folder}`, none)
  await svc(`runs evidence --last --out-dir ${out} ${folder}`, none)
  const claims = readFileSync(join(out, 'claims.txt'), 'utf8')
  expect(claims).toContain('that a contact with the outcome "missing" was added')
  expect(claims).not.toContain('deleted')
})

test('the plan of pairs is in the evidence byte for byte, with what was signed', async () => {
  const [one = '', two = '', three = '', four = ''] = world.fresh(4)
  const pairs = world.file('pairs.csv', ['source,target', `${three},${four}`, `${one},${two}`])
  const path = await approved('--reason "they are ids: []"', `contacts merge --file ${pairs}`)
  const [folder, out] = [state(), at('merged')]
  expect((await svc(`plans apply ${path} --yes ${folder}`)).code).toBe(0)
  expect((await svc(`runs evidence --last --out-dir ${out} ${folder}`)).code).toBe(0)
  const bytes = readFileSync(join(out, 'applied.plan'))
  expect(bytes).toEqual(readFileSync(path))
  const words = ['-Y', 'verify', '-f', world.signers, '-n', 'svc-plan', '-I', 'ana@example.com']
  const signature = join(out, 'applied.plan.1.sig')
  expect(world.keygen([...words, '-s', signature], bytes)).toContain('Good "svc-plan" signature')
})

test('evidence of a run that stopped says how much is left, and has no names', async () => {
  const [folder, out] = [state(), at('stopped')]
  const ids = world.file('ids', world.fresh(5))
  sandbox.setFaults('lists.add-contacts:2+=401')
  const line = `lists add-contacts VIP --file ${ids} batches-of=2 --concurrency 1 --yes ${folder}`
  expect((await svc(line, none)).code).toBe(4)
  sandbox.setFaults()
  expect((await svc(`runs evidence --last --out-dir ${out} ${folder}`, none)).code).toBe(0)
  const claims = readFileSync(join(out, 'claims.txt'), 'utf8')
  expect(claims).toContain('; 3 left to send or to find out\n')
  expect(claims).toContain(` of 5 contacts to ${sandbox.examples.list} at `)
  expect(claims).not.toContain('VIP')
})

test('evidence of a run with a damaged journal: a torn end is said, and damage before it is exit 10 without a folder', async () => {
  const [folder, out] = [state(), at('damaged')]
  await svc(
    `contacts delete ${world.fresh(2).join(' ')} batches-of=1 --concurrency 1 --yes ${folder}`,
    none,
  )
  const records = join(folder.replace('--state-dir ', ''), 'runs')
  const [run = ''] = readdirSync(records)
  const journal = join(records, run, 'journal.ndjson')
  const whole = readFileSync(journal, 'utf8')
  writeFileSync(journal, `${whole}{"t":"en`)
  const torn = await svc(`runs evidence --last --out-dir ${out} ${folder}`, none)
  expect([torn.code, torn.stderr]).toEqual([
    0,
    expect.stringContaining(
      `note: the end of the journal of run ${run} is damaged: its last 8 bytes cannot be read`,
    ),
  ])
  expect(readFileSync(join(out, 'journal.ndjson'), 'utf8')).toBe(readFileSync(journal, 'utf8'))
  writeFileSync(journal, whole.replace('"t":"try"', '"t":"TRY"'))
  const other = at('of-damage')
  const before = readdirSync(world.folder)
  const refused = await svc(`runs evidence ${run} --out-dir ${other} ${folder}`, none)
  expect([refused.code, refused.stderr]).toEqual([
    10,
    expect.stringMatching(`line \\d+ of the journal of run ${run} is damaged`),
  ])
  expect(readdirSync(world.folder)).toEqual(before)
  expect(existsSync(join(records, run, 'lock'))).toBe(false)
})
