/** `--metrics-file`, read with a parser of the text format of exposition. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh, as } = world
const folder = join(world.folder, 'textfile')
mkdirSync(folder)
const path = join(folder, 'nightly "x".prom')
const job = 'nightly "x"'

/** Samples by name and labels. Throws for what a collector would refuse. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  const types = new Set<string>()
  let last = ''
  if (!text.endsWith('\n')) throw new Error('the last line is not whole')
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, about] = /^# (HELP|TYPE) (\w+) .+$/.exec(line) ?? []
    const sample = /^([a-z_]+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (-?\d+(?:\.\d+)?)$/.exec(line)
    if (kind === 'TYPE' && about !== undefined) types.add(about)
    // The lines of a metric stand together, behind its type.
    else if (kind === 'HELP' && about !== undefined && !types.has(about)) last = about
    else if (sample?.[1] === last && types.has(last)) samples.set(`${last} ${sample[2] ?? ''}`, Number(sample[3]))
    else throw new Error(`not in the format: ${line}`)
  }
  return samples
}

/** The value of a metric of the job; `more`: its other label. */
function metric(name: string, operation = 'contacts.delete', more = ''): number | undefined {
  const labels = `job="${job.replaceAll('"', '\\"')}",operation="${operation}"${more}`
  return parse(readFileSync(path, 'utf8')).get(`${name} ${labels}`)
}

const run = (line: string, env = {}) =>
  svc(`contacts delete ${line} --yes ${world.state()}`, { fast: true, env: { SVC_METRICS_FILE: path, ...env } })

test('start, end, success and counts, at every ending', async () => {
  const before = Date.now() / 1000
  sandbox.setFaults('contacts.delete:1=429')
  expect((await run(`--file ${file('ids.txt', fresh(3))}`)).code).toBe(0)
  sandbox.setFaults()
  const success = metric('svc_run_last_success_timestamp_seconds') ?? 0
  expect(success).toBeGreaterThanOrEqual(Math.floor(before))
  expect(metric('svc_run_last_end_timestamp_seconds')).toBe(success)
  expect(metric('svc_run_exit_code')).toBe(0)
  expect(metric('svc_run_ids', undefined, ',outcome="deleted"')).toBe(3)
  expect(metric('svc_run_ids', undefined, ',outcome="not-found"')).toBe(0)
  expect(metric('svc_requests_total', undefined, ',status="429"')).toBe(1)
  expect(metric('svc_requests_total', undefined, ',status="200"')).toBe(1)
  expect(metric('svc_retries_total')).toBe(1)
  expect([readdirSync(folder).length, statSync(path).mode & 0o777]).toEqual([1, 0o644])

  const [absent = ''] = world.absent(1)
  const endings: readonly (readonly [number, string, object])[] = [
    [2, '--no-such-option', {}],
    [2, `--file ${join(world.folder, 'no export.txt')}`, {}],
    [4, absent, { SVC_API_KEY: undefined }],
    [5, absent, as('read')],
    [3, absent, {}],
  ]
  for (const [code, line, env] of endings) {
    expect([line, (await run(line, env)).code]).toEqual([line, code])
    expect([line, metric('svc_run_exit_code')]).toEqual([line, code])
    expect(metric('svc_run_last_success_timestamp_seconds')).toBe(success)
    expect(metric('svc_run_last_end_timestamp_seconds')).toBeGreaterThanOrEqual(success)
  }
  // Nobody watches what sends nothing.
  const whole = readFileSync(path, 'utf8')
  await run(`${absent} --dry-run`)
  await svc('lists list', { env: { SVC_METRICS_FILE: path } })
  expect(readFileSync(path, 'utf8')).toBe(whole)
})

test('while it runs, and for good when it is killed, there is a start and no exit code', async () => {
  let seen: string | undefined
  const random = () => {
    seen ??= readFileSync(path, 'utf8')
    return Math.random()
  }
  const line = `contacts delete ${fresh(1)[0] ?? ''} --yes --metrics-file`.split(' ')
  expect((await svc([...line, path, ...world.state().split(' ')], { random })).code).toBe(0)
  expect([...parse(seen ?? '').keys()].map((key) => key.split(' ')[0])).toEqual(
    ['start', 'end', 'success'].map((what) => `svc_run_last_${what}_timestamp_seconds`),
  )
})

test.each([
  ['a name that the collector does not read', 'x.txt', undefined, /whose name ends in \.prom/],
  ['a file that is something else', 'other.prom', 'precious\n', /is not a metrics file of svc/],
  ['a folder that is not there', 'no folder/x.prom', undefined, /cannot be written/],
])('%s is exit 2, and nothing is sent', async (_what, name, content, message) => {
  const wrong = join(folder, name)
  const before = content === undefined ? [] : [content]
  for (const text of before) writeFileSync(wrong, text)
  const [id = ''] = fresh(1)
  const { code, stderr } = await run(id, { SVC_METRICS_FILE: wrong })
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  expect(before.map(() => readFileSync(wrong, 'utf8'))).toEqual(before)
})
