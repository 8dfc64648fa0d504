/** Reads of many pages, against requests of the same bytes one after the other from a bare client. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, environment, folder, here, median, report, serve } from './measure.mjs'
import { workbook } from './workbook.mjs'

/** A read of svc that ends with `code`: its milliseconds, those of the processor, megabytes, and the lines that it printed. */
function read(env, words, code = 0) {
  const memory = join(folder, 'memory')
  const started = performance.now()
  const result = spawnSync(process.execPath, ['--require', join(here, 'memory.cjs'), bin, ...words], {
    env: { ...env, BENCH_MEMORY: memory },
    maxBuffer: 1 << 28,
  })
  const ms = performance.now() - started
  if (result.status !== code) throw new Error(`${words.join(' ')}: ${result.status} ${result.stderr}`)
  return {
    ms,
    cpu: Number(readFileSync(`${memory}-cpu`, 'utf8')),
    memory: Number(readFileSync(memory, 'utf8')) / 1024,
    lines: result.stdout.toString().split('\n').length - 1,
  }
}

/** Milliseconds of a request, with so many in flight, when nothing is done with the answers. */
function perRequest(port, connections, requests, path) {
  const words = [join(here, 'client.mjs'), port, connections, requests, path].map(String)
  return 1000 / Number(execFileSync(process.execPath, words, { encoding: 'utf8' }))
}

/** Three reads that must print so many lines each: the medians of their milliseconds and megabytes. */
function ofThree(env, words, lines) {
  const taken = Array.from({ length: 3 }, () => read(env, words))
  const wrong = taken.find((one) => one.lines !== lines)
  if (wrong !== undefined) throw new Error(`${words.join(' ')}: ${wrong.lines} of ${lines} lines`)
  return { ms: median(taken.map(({ ms }) => ms)), memory: median(taken.map(({ memory }) => memory)) }
}

export async function pages() {
  const { port, env } = await serve(20, 20, 100_000)
  const sequential = 1000 * perRequest(port, 1, 100, '/v1/lists?page=2&limit=100')
  const { ms, memory } = ofThree(env, ['lists', 'list', '-o', 'ids'], 100_000)
  report(
    'lists list, 1,000 pages at 20 ms ÷ one after the other',
    ms / sequential,
    '≤ 0.35',
    ms / sequential <= 0.35,
    `${(ms / 1000).toFixed(1)} of ${(sequential / 1000).toFixed(1)} s`,
  )
  report('memory of 1,000 pages: MB', memory, '≤ 100', memory <= 100)
}

/**
 * The last of 30,000 members of 300 lists, by phone: 3 pages of lists, then a page of members for each list. The best of five
 * in turn: what else the machine does only ever adds.
 */
export async function find() {
  const { port, env } = await serve(20)
  const [finds, requests] = [[], []]
  for (let round = 0; round < 5; round += 1) {
    const { ms, lines } = read(env, ['contacts', 'find', '--phone', '+1 (555) 103-0099', '-o', 'ids'])
    if (lines !== 1) throw new Error(`contacts find: ${lines} lines`)
    finds.push(ms)
    requests.push(303 * perRequest(port, 4, 303, `/v1/lists/${'1'.padStart(24, '0')}?page=1&limit=100`))
  }
  const [ms, ideal] = [Math.min(...finds), Math.min(...requests)]
  report(
    'contacts find, 300 lists of 100 members at 20 ms ÷ its requests, 4 in flight',
    ms / ideal,
    '≤ 1.3',
    ms / ideal <= 1.3,
    `${ms.toFixed(0)} of ${ideal.toFixed(0)} ms`,
  )
}

/**
 * 1,000,000 contacts, each on two of 1,000 lists: what is kept of them, beside reading the pages and throwing them away. In
 * processor time, which one round tells on a busy machine too.
 */
export async function people() {
  const { env } = await serve(0, 20, 1000, [2000])
  const [table, out] = [join(folder, 'people.csv'), join(folder, 'snapshot.ndjson')]
  const rows = Array.from(
    { length: 100_000 },
    (_, n) => `Anna Miller,+1555${1_000_000 + n * 10},contact${n * 10}@example.com\n`,
  )
  writeFileSync(table, `Name,Phone,Email\n${rows.join('')}`)
  const nothing = read(env, ['contacts', 'find', '--email', 'nobody@example.org', '-q'])
  for (const [name, words, code, ratio, memory] of [
    ['list', ['--snapshot', out], 0, 1.5, 300],
    ['match', ['--file', table, '--accept', 'differs', '-o', 'ids'], 0, 1.5, 300],
    ['duplicates', ['-o', 'csv'], 0, undefined, 400],
  ]) {
    const taken = read(env, ['contacts', name].concat(words), code)
    const time = taken.cpu / nothing.cpu
    const what = `1,000,000 contacts, contacts ${name}`
    const seconds = `${(taken.cpu / 1000).toFixed(0)} of ${(nothing.cpu / 1000).toFixed(0)} s`
    report(`${what}: MB`, taken.memory, `≤ ${memory}`, taken.memory <= memory)
    report(
      `${what} ÷ reading alone`,
      time,
      ratio === undefined ? 'none' : `≤ ${ratio}`,
      time <= (ratio ?? Infinity),
      seconds,
    )
  }
}

/** A workbook of 100,000 rows given back with what would happen to each of them, in processor time. */
export function annotate() {
  const [path, out] = [join(folder, 'annotate.xlsx'), join(folder, 'annotated.xlsx')]
  writeFileSync(path, workbook(true))
  const [plain, annotated] = [[], []]
  const words = ['contacts', 'delete', '--file', path, '--dry-run']
  for (let round = 0; round < 3; round += 1) {
    rmSync(out, { force: true })
    plain.push(read(environment, words))
    annotated.push(read(environment, [...words, '--annotate', out]))
  }
  const ratio = median(annotated.map(({ cpu }) => cpu)) / median(plain.map(({ cpu }) => cpu))
  const memory = median(annotated.map((one) => one.memory))
  report('a workbook of 100,000 × 6 annotated ÷ read', ratio, '≤ 2.5', ratio <= 2.5)
  report('a workbook of 100,000 × 6 annotated: MB', memory, '≤ 150', memory <= 150)
}
