/** What a person is told when a run ends, and the files that it leaves: those it was asked for, why the exit code is what it is, what was cut short. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBulkWorld, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world
let outputs = 0
const output = (ending = 'csv'): string => join(world.folder, `out ${(outputs += 1)}.${ending}`)
const outcomes = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map(
      (line) =>
        (/(?:,|^)(deleted|unknown|error|not-attempted|blocked|not-found)(?:,|$)/.exec(line) ??
          [])[1] ?? line,
    )

async function newest(state: string): Promise<SummaryDocument> {
  return JSON.parse((await svc(`runs show --last --json ${state}`)).stdout) as SummaryDocument
}

const deletion = (ids: readonly string[]): string =>
  `contacts delete --file ${file('ids.txt', ids)} --yes batches-of=2 --concurrency 1`

describe('the files that a run was asked for', () => {
  /** A run that credentials stopped after two of four ids, with all its files. */
  async function stopped(name = 'ids.csv') {
    const state = world.state()
    const [receipts, annotated, rejects] = [output(), output(), output()]
    const input = file(name, [...fresh(4), 'no id'])
    const line =
      `contacts delete --yes batches-of=2 --concurrency 1 --skip-invalid --file ${input} ${state}`.split(
        ' ',
      )
    const files = ['--receipts', receipts, '--annotate', annotated, '--rejects', rejects]
    sandbox.setFaults('contacts.delete:2=401')
    expect((await svc([...line, '--once', 'job', ...files])).code).toBe(4)
    sandbox.setFaults()
    return { state, receipts, annotated, rejects, input, line }
  }
  const done = Array(4).fill('deleted')

  test.each([
    ['resume', ['runs', 'resume', 'job', '--yes']],
    ['resume of a run that was killed', ['runs', 'resume', 'job', '--yes']],
    ['retry', ['runs', 'retry', 'job', '--outcome', 'error', '--yes']],
    ['repeated command', ['--once', 'job']],
  ])(
    'are written again by a %s that names none, as are those that are missing',
    async (what, words) => {
      const { state, receipts, annotated, rejects, line } = await stopped()
      const bad = readFileSync(rejects, 'utf8')
      for (const path of [annotated, rejects]) rmSync(path)
      if (what.endsWith('killed')) {
        const journal = join(
          state.replace('--state-dir ', ''),
          'runs',
          String((await newest(state)).run),
          'journal.ndjson',
        )
        const lines = readFileSync(journal, 'utf8').split('\n')
        writeFileSync(journal, lines.filter((text) => !/"t":"(file|end)"/.test(text)).join('\n'))
        rmSync(receipts)
      }
      const again = words[0] === 'runs' ? [...words, ...state.split(' ')] : [...line, ...words]
      for (const left of ['something', 'nothing']) {
        expect([left, (await svc(again)).code]).toEqual([left, 0])
        expect([outcomes(receipts), outcomes(annotated).slice(0, 4)]).toEqual([done, done])
        expect(readFileSync(rejects, 'utf8')).toBe(bad)
        rmSync(receipts)
      }
      expect((await svc(again)).code).toBe(0)
      expect(outcomes(receipts)).toEqual(done)
    },
  )

  test('stay as they are, with a note, when they were changed, or their folder or the input is gone', async () => {
    const { state, receipts, annotated, rejects, input } = await stopped('gone.csv')
    writeFileSync(receipts, 'mine')
    writeFileSync(rejects, 'mine too')
    rmSync(input)
    const old = readFileSync(annotated, 'utf8')
    for (const left of ['something', 'nothing']) {
      const { code, stderr } = await svc(`runs resume job --yes ${state}`)
      expect([left, code]).toEqual([left, 0])
      expect(stderr.match(/^note: not written: .*/gm)?.sort()).toEqual([
        `note: not written: the input "${input}" cannot be read again for --annotate: there is no such file or folder`,
        `note: not written: the receipts file "${receipts}" was changed since this run wrote it`,
        `note: not written: the rejects file "${rejects}" was changed since this run wrote it`,
      ])
    }
    expect([receipts, annotated, rejects].map((path) => readFileSync(path, 'utf8'))).toEqual([
      'mine',
      old,
      'mine too',
    ])
  })

  test('are those that the command names, which are exit 2 only while something is left to send', async () => {
    const { state, receipts, annotated } = await stopped()
    writeFileSync(annotated, 'mine')
    const other = output()
    const naming = `runs resume job --yes ${state} --receipts`.split(' ')
    expect((await svc([...naming, annotated])).code).toBe(2)
    const before = readFileSync(receipts, 'utf8')
    expect((await svc([...naming, other])).code).toBe(0)
    expect([outcomes(other), readFileSync(receipts, 'utf8')]).toEqual([done, before])
    expect(await svc([...naming, annotated])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        `note: not written: the receipts file "${annotated}" was changed since`,
      ) as string,
    })
    // What this machine is the reason of may pass: a scheduler must repeat it.
    const nowhere = await svc([...naming, '/nowhere/out.csv', '--json'])
    expect(nowhere).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('"exitCode":10') as string,
    })
    expect(JSON.parse(nowhere.stdout)).toMatchObject({ exitCode: 0, result: { deleted: 4 } })
    // Named last, it is the one that the run remembers.
    rmSync(other)
    expect((await svc(`runs resume job --yes ${state}`)).code).toBe(0)
    expect([outcomes(other), readFileSync(receipts, 'utf8')]).toEqual([done, before])
  })

  test('of a run whose record was removed cannot be written, which is said', async () => {
    const state = world.state()
    const [receipts, annotated] = [output(), output()]
    const line = `${deletion(fresh(2))} --once pruned ${state}`.split(' ')
    expect((await svc(line)).code).toBe(0)
    expect((await svc(`runs prune --older-than 0s --yes ${state}`)).code).toBe(0)
    const { run } = JSON.parse(
      (await svc(`runs show pruned --json ${state}`)).stdout,
    ) as SummaryDocument
    const { code, stderr } = await svc([...line, '--receipts', receipts, '--annotate', annotated])
    expect(code).toBe(0)
    expect(stderr).toContain(
      `warning: "${receipts}" was not written: the record of run ${run} was removed\n` +
        `warning: "${annotated}" was not written: the record of run ${run} was removed\n`,
    )
  })
})

test('a file that fails when all is done, and a signal that is not Ctrl-C', async () => {
  const folder = join(world.folder, 'goes away')
  mkdirSync(folder)
  const earlier = sandbox.requests.length
  const takeAway = (): number => {
    if (sandbox.requests.length > earlier) rmSync(folder, { recursive: true, force: true })
    return Math.random()
  }
  sandbox.setFaults('contacts.delete:1=500')
  const line = `${deletion(fresh(2))} --receipts`.split(' ')
  const failed = await svc([...line, join(folder, 'r.csv'), ...world.state().split(' ')], {
    fast: true,
    random: takeAway,
  })
  sandbox.setFaults()
  expect(failed.code).toBe(10)
  expect(failed.stderr).toMatch(
    /note: nothing is left to send; only a file could not be written; to write it again:\n {2}svc runs resume \S+ --receipts <file> --state-dir \S+\n/,
  )

  let deliver: (signal: 'SIGTERM') => void = () => undefined
  sandbox.setFaults('contacts.delete:1=delay(200ms)')
  const running = svc(`${deletion(fresh(2))} ${world.state()}`, {
    signals: (give) => (deliver = give),
  })
  const before = sandbox.requests.length
  while (sandbox.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 1))
  deliver('SIGTERM')
  const { stderr } = await running
  sandbox.setFaults()
  expect(stderr).toContain('requests in flight may finish; a second signal aborts them')
})
