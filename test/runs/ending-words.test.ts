/** Messages and files at the end of a run: files that the command names, the reason of the exit code, batches that were cut short. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SummaryDocument } from '../../src/runs/summary.ts'
import { createBulkWorld, runFile } from './bulk-world.ts'
import { bury, linesIn, rewrite } from './run-files.ts'

const world = await createBulkWorld()
const { svc, file, fresh, unsent } = world
let outputs = 0
const output = (ending = 'csv'): string => join(world.folder, `out ${(outputs += 1)}.${ending}`)
/** The outcomes in a file of receipts or annotated rows, without those of bad lines. */
const outcomes = (path: string): readonly string[] =>
  readFileSync(path, 'utf8').match(/(?<=,)(?:deleted|unknown|error|not-attempted)(?=,)/g) ?? []

test('a run that a 401 stopped, and whose receipts cannot be written, ends with 1', async () => {
  const receipts = output()
  const other = await createBulkWorld({
    contacts: 50,
    onRequest: () => writeFileSync(receipts, 'of somebody else'),
  })
  other.sandbox.setFaults('contacts.delete:1+=401')
  const ids = other.file('ids', other.free.slice(0, 2))
  const line = `contacts delete --file ${ids} --yes --json ${other.state()}`
  const ended = await other.svc(`${line} --receipts '${receipts}'`)
  const summary = { exitCode: 1, status: 'stopped', stopReason: 'auth' }
  expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([1, summary])
  expect(readFileSync(receipts, 'utf8')).toBe('of somebody else')
})

describe('the files of a run', () => {
  /** A run that credentials stopped after two of four ids, with all its files. */
  async function stopped(name = 'ids.csv') {
    const state = world.state()
    const [receipts, annotated] = [output(), output()]
    const input = file(name, [...fresh(4), 'no id'])
    const files = `--receipts '${receipts}' --annotate '${annotated}'`
    const line = `contacts delete --yes batches-of=2 --concurrency 1 --skip-invalid --file ${input} --once job ${state}`
    const ended = await svc(`${line} ${files}`, { faults: 'contacts.delete:2=401' })
    expect(ended.code).toBe(4)
    return { state, receipts, annotated, input, line, files, ended }
  }

  test('are written before the run has its end: a run that ended has its files', async () => {
    const { state } = await stopped()
    const kinds = linesIn(runFile(state, 'job')).map(({ t }) => t)
    expect(kinds.slice(-4)).toEqual(['file', 'file', 'end', 'free'])
  })

  const done = Array(4).fill('deleted')

  test.each([
    ['resume', 'runs resume job --yes'],
    ['resume of a run that was killed', 'runs resume job --yes'],
    ['resume by outcome', 'runs resume job --outcome error --yes'],
    ['repeated command', ''],
  ])('files are written by a %s that names them, and only then', async (what, words) => {
    const { state, receipts, annotated, line, files } = await stopped()
    if (what.endsWith('killed')) {
      const path = runFile(state, 'job')
      rewrite(path, (lines) => lines.filter(({ t }) => !['file', 'end', 'free'].includes(t)))
      bury(path)
    }
    for (const path of [receipts, annotated]) rmSync(path)
    const again = words === '' ? line : `${words} ${state}`
    for (const left of ['something', 'nothing']) {
      expect([left, (await svc(again)).code]).toEqual([left, 0])
      expect([receipts, annotated].filter((path) => existsSync(path))).toEqual([])
    }
    // Once where they are missing, and once where the run wrote them.
    for (const there of [false, true]) {
      expect([there, (await svc(`${again} ${files}`)).code]).toEqual([there, 0])
      expect([outcomes(receipts), outcomes(annotated)]).toEqual([done, done])
    }
  })

  test('files are in the commands of hints and of the summary, which write them', async () => {
    const { receipts, annotated, files, state, ended } = await stopped()
    const [, command = ''] = /\n {2}svc (runs resume .*)\n/.exec(ended.stderr) ?? []
    expect(command).toMatch(/^runs resume \S+ --receipts /)
    expect(command.endsWith(` ${files}`)).toBe(true)
    expect((await world.shown('--last', state)).resume).toMatch(/^svc runs resume \S+$/)
    const again = await svc(`${command} --yes --json ${state}`, { faults: 'contacts.delete:1=401' })
    expect((JSON.parse(again.stdout) as SummaryDocument).resume).toBe(`svc ${command}`)
    expect((await svc(`${command} --yes ${state}`)).code).toBe(0)
    expect([outcomes(receipts), outcomes(annotated)]).toEqual([done, done])
  })

  test('files of a finished run are written from its input, also where it has moved', async () => {
    const { state, input } = await stopped('moves.csv')
    expect((await svc(`runs resume job --yes ${state}`)).code).toBe(0)
    const annotated = output()
    const naming = `runs resume job ${state} --annotate '${annotated}'`
    const moved = file('moved.csv', [])
    renameSync(input, moved)
    const missing = await svc(`${naming} --json`)
    expect([missing.code, missing.stdout]).toEqual([2, ''])
    expect(missing.stderr).toContain('if it has moved: --file <path>')
    const other = `${naming} --file ${file('other.csv', fresh(4))}`
    expect(await unsent(other, 2)).toContain(`came from "${input}"`)
    const alone = `runs resume job ${state} --file ${moved}`
    expect(await unsent(alone, 2)).toContain('--file needs --annotate')
    expect((await svc(`${naming} --file ${moved}`)).code).toBe(0)
    expect(outcomes(annotated)).toEqual(done)
  })

  test("that are not the run's any more stay as they are: exit 2", async () => {
    const { state, receipts, annotated } = await stopped()
    writeFileSync(annotated, 'mine')
    const other = output()
    const naming = `runs resume job --yes ${state} --receipts`
    await unsent(`${naming} '${annotated}'`, 2)
    const before = readFileSync(receipts, 'utf8')
    expect((await svc(`${naming} '${other}'`)).code).toBe(0)
    expect([outcomes(other), readFileSync(receipts, 'utf8')]).toEqual([done, before])
    const said = `the receipts file "${annotated}" was changed since`
    expect(await unsent(`${naming} '${annotated}'`, 2)).toContain(said)
    expect(readFileSync(annotated, 'utf8')).toBe('mine')
    const nowhere = await svc(`${naming} /nowhere/out.csv --json`)
    expect([nowhere.code, nowhere.stdout]).toEqual([2, ''])
    expect(nowhere.stderr).toMatch(/^error: /)
  })
})
