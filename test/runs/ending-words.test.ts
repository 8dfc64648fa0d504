/** Messages and files at the end of a run: files that the command names, the reason of the exit code, batches that were cut short. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SummaryDocument } from '../../src/runs/summary.ts'
import { createBulkWorld, runFile } from './bulk-world.ts'
import { bury, linesIn, rewrite } from './run-files.ts'

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

/** Words of a command as a shell reads them. */
const wordsOf = (command: string): string[] =>
  Array.from(command.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? '')

async function newest(state: string): Promise<SummaryDocument> {
  return JSON.parse((await svc(`runs show --last --json ${state}`)).stdout) as SummaryDocument
}

const deletion = (ids: readonly string[]): string =>
  `contacts delete --file ${file('ids.txt', ids)} --yes batches-of=2 --concurrency 1`

test('a run that a 401 stopped, and whose receipts cannot be written, ends with 10', async () => {
  const receipts = output()
  const other = await createBulkWorld({
    contacts: 50,
    onRequest: () => writeFileSync(receipts, 'of somebody else'),
  })
  other.sandbox.setFaults('contacts.delete:1+=401')
  const ids = other.file('ids', other.free.slice(0, 2))
  const line = `contacts delete --file ${ids} --yes --json ${other.state()}`.split(' ')
  const ended = await other.svc([...line, '--receipts', receipts])
  const summary = { exitCode: 10, status: 'stopped', stopReason: 'auth' }
  expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([10, summary])
  expect(readFileSync(receipts, 'utf8')).toBe('of somebody else')
})

describe('the files of a run', () => {
  /** A run that credentials stopped after two of four ids, with all its files. */
  async function stopped(name = 'ids.csv') {
    const state = world.state()
    const [receipts, annotated] = [output(), output()]
    const input = file(name, [...fresh(4), 'no id'])
    const line =
      `contacts delete --yes batches-of=2 --concurrency 1 --skip-invalid --file ${input} ${state}`.split(
        ' ',
      )
    const files = ['--receipts', receipts, '--annotate', annotated]
    const faults = 'contacts.delete:2=401'
    const ended = await svc([...line, '--once', 'job', ...files], { faults })
    expect(ended.code).toBe(4)
    return { state, receipts, annotated, input, line, files, ended }
  }

  test('are written before the run has its end: a run that ended has its files', async () => {
    const { state } = await stopped()
    const kinds = linesIn(runFile(state, 'job')).map(({ t }) => t)
    expect(kinds.slice(-4)).toEqual(['file', 'file', 'end', 'free'])
  })

  const done = Array(4).fill('deleted')
  const ways: [string, string[]][] = [
    ['resume', ['runs', 'resume', 'job', '--yes']],
    ['resume of a run that was killed', ['runs', 'resume', 'job', '--yes']],
    ['resume by outcome', ['runs', 'resume', 'job', '--outcome', 'error', '--yes']],
    ['repeated command', ['--once', 'job']],
  ]

  test.each(ways)(
    'files are written by a %s that names them, and only then',
    async (what, words) => {
      const { state, receipts, annotated, line, files } = await stopped()
      if (what.endsWith('killed')) {
        const path = runFile(state, 'job')
        rewrite(path, (lines) => lines.filter(({ t }) => !['file', 'end', 'free'].includes(t)))
        bury(path)
      }
      for (const path of [receipts, annotated]) rmSync(path)
      const again = words[0] === 'runs' ? [...words, ...state.split(' ')] : [...line, ...words]
      for (const left of ['something', 'nothing']) {
        expect([left, (await svc(again)).code]).toEqual([left, 0])
        expect([receipts, annotated].filter((path) => existsSync(path))).toEqual([])
      }
      // Once where they are missing, and once where the run wrote them.
      for (const there of [false, true]) {
        expect([there, (await svc([...again, ...files])).code]).toEqual([there, 0])
        expect([outcomes(receipts), outcomes(annotated).slice(0, 4)]).toEqual([done, done])
      }
    },
  )

  test('files are in the commands of hints and of the summary, which write them', async () => {
    const { receipts, annotated, state, ended } = await stopped()
    const files = `--receipts '${receipts}' --annotate '${annotated}'`
    const [, command = ''] = /\n {2}svc (runs resume .*)\n/.exec(ended.stderr) ?? []
    expect(command).toMatch(/^runs resume \S+ --receipts /)
    expect(command.endsWith(` ${files} ${state}`)).toBe(true)
    const { resume } = await newest(state)
    expect(resume).toMatch(/^svc runs resume \S+ --state-dir \S+$/)
    const again = await svc([...wordsOf(command), '--yes', '--json'], {
      faults: 'contacts.delete:1=401',
    })
    expect((JSON.parse(again.stdout) as SummaryDocument).resume).toBe(`svc ${command}`)
    expect((await svc([...wordsOf(command), '--yes'])).code).toBe(0)
    expect([outcomes(receipts), outcomes(annotated).slice(0, 4)]).toEqual([done, done])
  })

  test('files of a finished run are written from its input, also where it has moved', async () => {
    const { state, input } = await stopped('moves.csv')
    expect((await svc(`runs resume job --yes ${state}`)).code).toBe(0)
    const annotated = output()
    const naming = ['runs', 'resume', 'job', ...state.split(' '), '--annotate', annotated]
    const moved = file('moved.csv', [])
    renameSync(input, moved)
    const missing = await svc([...naming, '--json'])
    expect([missing.code, missing.stdout]).toEqual([2, ''])
    expect(missing.stderr).toContain('if it has moved: --file <path>')
    const other = await svc([...naming, '--file', file('other.csv', fresh(4))])
    expect(other.code).toBe(2)
    expect(other.stderr).toContain(`came from "${input}"`)
    const alone = `runs resume job ${state} --file ${moved}`
    expect(await svc(alone)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--file needs --annotate') as string,
    })
    expect((await svc([...naming, '--file', moved])).code).toBe(0)
    expect(outcomes(annotated).slice(0, 4)).toEqual(done)
  })

  test("that are not the run's any more stay as they are: exit 2", async () => {
    const { state, receipts, annotated } = await stopped()
    writeFileSync(annotated, 'mine')
    const other = output()
    const naming = `runs resume job --yes ${state} --receipts`.split(' ')
    expect((await svc([...naming, annotated])).code).toBe(2)
    const before = readFileSync(receipts, 'utf8')
    expect((await svc([...naming, other])).code).toBe(0)
    expect([outcomes(other), readFileSync(receipts, 'utf8')]).toEqual([done, before])
    expect(await svc([...naming, annotated])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `the receipts file "${annotated}" was changed since`,
      ) as string,
    })
    expect(readFileSync(annotated, 'utf8')).toBe('mine')
    const nowhere = await svc([...naming, '/nowhere/out.csv', '--json'])
    expect(nowhere).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: /) as string,
    })
    expect(nowhere.stdout).toBe('')
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
  const line = `${deletion(fresh(2))} --receipts`.split(' ')
  const failed = await svc([...line, join(folder, 'r.csv'), ...world.state().split(' ')], {
    faults: 'contacts.delete:1=500',
    fast: true,
    random: takeAway,
  })
  expect(failed.code).toBe(10)
  expect(failed.stderr).toContain('note: stopped: a local file could not be written\n')

  let deliver: (signal: 'SIGTERM') => void = () => undefined
  sandbox.setFaults('contacts.delete:1=delay,after=200ms')
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
