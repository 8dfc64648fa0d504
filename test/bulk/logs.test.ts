/** What whoever watches a run is told: the log, JSON lines on stderr, and lines of progress. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world
type Line = Readonly<Record<string, unknown>>
const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** A deletion of six ids in batches of two, whose second batch is throttled and whose third loses its first answer. */
async function deleted(more: string, fast = true) {
  sandbox.setFaults('contacts.delete:2=429,contacts.delete:4=drop-after-apply')
  const line = `contacts delete --file ${file('ids.txt', fresh(6))} --yes --batch-size 2 --concurrency 1 ${world.state()}`
  const ended = await svc(`${line} ${more}`, { fast })
  sandbox.setFaults()
  return ended
}

test('a log tells which batches were sent when, by whom, how often, and what the service said', async () => {
  const log = join(world.folder, 'svc.log')
  writeFileSync(log, '{"cut off by a full d', { mode: 0o600 })
  expect((await deleted(`--once night --log-file ${log} -q`)).code).toBe(0)
  const text = readFileSync(log, 'utf8')
  const lines = linesOf(text.slice(text.indexOf('\n') + 1))
  const facts = { run: expect.stringMatching(/^\d{8}T/) as string, name: 'night', profile: null }
  for (const line of lines) {
    expect(line).toMatchObject({
      ...facts,
      host: new URL(sandbox.baseUrl).host,
      by: expect.stringContaining('@') as string,
    })
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  }
  const of = (type: string) => lines.filter((line) => line['type'] === type)
  expect(of('request').map(({ batch, attempt, status, result }) => [batch, attempt, status, result])).toEqual([
    [1, 1, 200, 'answered'],
    [2, 1, 429, 'refused'],
    [2, 2, 200, 'answered'],
    [3, 1, null, 'ambiguous'],
    [3, 2, 200, 'answered'],
  ])
  // The service's own record has the request under the same number.
  for (const { requestId, status } of of('request')) {
    const n = /^sandbox-(\d+)$/.exec(String(requestId))?.[1]
    expect(status === null ? requestId : sandbox.record.entries.find((entry) => entry.n === Number(n))?.status).toBe(
      status ?? undefined,
    )
  }
  const ofBatches = of('note').filter(({ batch }) => batch !== undefined)
  const sent = ofBatches.filter(({ result }) => result === undefined)
  expect(sent.map(({ batch, attempt }) => [batch, attempt])).toEqual(
    of('request').map((each) => [each['batch'], each['attempt']]),
  )
  const waits = ofBatches.filter(({ result, message }) => result === 'waiting' && /attempt 2/.test(String(message)))
  expect(waits.map(({ batch, attempt }) => [batch, attempt])).toEqual([
    [2, 1],
    [3, 1],
  ])
  expect(of('progress').at(-1)).toMatchObject({ done: 6, total: 6 })
  expect(of('summary')).toMatchObject([{ result: { deleted: 4, gone: 2 }, exitCode: 0 }])
  expect(of('summary')[0]).not.toHaveProperty('goneIds')

  // Mistakes are logged too, and what is there stays.
  const more = [`lists members nope -o ids`, `contacts delete --file none --once night`, `contacts delete --filee x`]
  const job = 'https://gitlab.example/jobs/1'
  for (const words of more) await svc(`${words} --log-file ${log}`, { env: { CI_JOB_URL: job } })
  expect(readFileSync(log, 'utf8').startsWith(text)).toBe(true)
  const errors = linesOf(readFileSync(log, 'utf8').slice(text.length)).filter(({ type }) => type === 'error')
  // No run came about: the line says which job of whom it was.
  const by = lines[0]?.['by']
  expect(errors).toMatchObject([
    { command: 'svc lists members', by, job, error: { exitCode: 6 } },
    { command: 'svc contacts delete', name: 'night', by, job, error: { exitCode: 2 } },
    { command: 'svc contacts delete', by, job, error: { exitCode: 2 } },
  ])
})

test('a log is for its owner alone, and one that cannot be written is one note', async () => {
  const folder = join(world.folder, 'folder')
  mkdirSync(folder)
  const log = join(folder, 'svc.log')
  await svc('lists list', { env: { SVC_LOG_FILE: log } })
  expect(statSync(log).mode & 0o777).toBe(0o600)
  const { code, stderr } = await deleted(`--log-file ${folder}`)
  expect(code).toBe(0)
  expect(stderr.match(/the log .* cannot be written: it is a folder; this command continues without it/g)).toHaveLength(
    1,
  )
})

test('-v --json has requests with their fields; progress of JSON messages is JSON', async () => {
  const { code, stderr } = await deleted('-v --json --progress json')
  expect(code).toBe(0)
  const lines = linesOf(stderr)
  for (const line of lines) expect(Object.keys(line).slice(0, 3)).toEqual(['type', 'time', 'run'])
  expect(lines.filter(({ type }) => type === 'request')).toHaveLength(5)
  expect(lines.filter(({ type }) => type === 'progress').at(-1)).toMatchObject({ done: 6 })
})
