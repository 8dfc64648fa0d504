/**
 * Random faults over every operation that changes something: what svc claims must be what the sandbox recorded.
 *   node test/chaos/chaos.mjs --runs 1000 [--seed 7]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { judgeCompleteness, planEpisode, stockOf, Verdict } from '../kill/episode.mjs'
import { randomFrom, startSandbox, svc } from '../kill/processes.mjs'

const faults = [
  'drop-before',
  'drop-after-apply',
  'drop-mid',
  'drop-mid(at=3)',
  'drop-mid(whole-at=20)',
  'reset',
  'reset(apply)',
  'apply-half',
  '500',
  '500(apply)',
  '502(apply)',
  '503',
  '503(retry-after=0)',
  '503(retry-after=0, apply)',
  '429(retry-after=0)',
  '429',
  '408',
  '408(apply)',
  '400',
  '404',
  '422',
  '401',
  '403',
  '301',
  '204(apply)',
  'redirect(http://127.0.0.1:9/)',
  'truncated-json',
  'invalid-json',
  'invalid-utf8',
  'garbage-after',
  'html',
  'html(apply)',
  'empty',
  'null',
  'missing-data',
  'wrong-shape',
  'unknown-fields',
  'number-ids',
  'wrong-sums',
  'foreign-ids',
  'upper-case',
  'lower-case',
  'gzip',
  'content-length(+5)',
  'content-length(-5)',
  'content-type(text/plain)',
  'deep(200)',
  'no-date',
  'date(never)',
  'hang-before',
  'hang-after-apply',
  'delay(20ms)',
  'delay(20ms, before)',
  // Carried out when the client has given up (its deadline is 150 ms), also after the whole run has ended.
  'delay(200ms, before)',
  'late(1ms)',
  'late(100ms)',
  'late(600ms)',
  '500(late=100ms)',
  '503(retry-after=0, late=50ms)',
  'drop-before(late=100ms)',
  'drop-before(late=600ms)',
]
const operations = [
  'contacts.delete',
  'lists.add-contacts',
  'tickets.assign',
  'contacts.merge',
  'lists.create',
  'tickets.history',
  'lists.list',
]
const bulkKinds = ['delete', 'add', 'assign', 'merge']

function someFaults(random) {
  const count = 1 + Math.floor(random() * 4)
  const rules = [`seed=${Math.floor(random() * 1e6)}`, 'latency=1ms', ...(random() < 0.2 ? ['idle-close=1ms'] : [])]
  for (let i = 0; i < count; i += 1) {
    const operation = operations[Math.floor(random() * operations.length)]
    const first = 1 + Math.floor(random() * 6)
    const when = [
      `${first}`,
      `${first}-${first + 2}`,
      `every-${2 + Math.floor(random() * 4)}`,
      `${5 + Math.floor(random() * 40)}%`,
    ]
    const fault = faults[Math.floor(random() * faults.length)]
    rules.push(`${operation}:${when[Math.floor(random() * when.length)]}=${fault}`)
  }
  return rules.join(', ')
}

const hasty = ['--max-retry-wait', '10ms', '--timeout', '150ms']

const certainlyNot = (code) => [2, 4, 5, 6, 9].includes(code)

/** Exit 0 means that it was made, a refusal that it was not, 7 that nobody knows. */
function claim(verdict, code, isDone, what) {
  if (code === 0 && !isDone) verdict.false.push(`${what} is claimed, but it was not done`)
  if (certainlyNot(code) && isDone) verdict.false.push(`exit ${code}, but ${what} was done`)
  if (code === 1) verdict.false.push(`${what}: exit 1`)
}

const pick = (random, items) => items[Math.floor(random() * items.length)]

/** One change: the words of its command, and what its ending claims, compared with the record and the state. */
const singles = {
  'delete-one': ({ stock }) => {
    const [a] = stock.free.splice(0, 1)
    return {
      words: ['contacts', 'delete', a, '--yes', '--json'],
      judge(verdict, { code, stdout }, entries) {
        const isDeleted = entries.some(({ deleted }) => deleted?.includes(a))
        const { result } = JSON.parse(stdout)
        if (result.deleted === 1 && !isDeleted) verdict.false.push(`${a} is claimed to be deleted`)
        if ((result.error === 1 || result.notFound === 1 || result.blocked === 1) && isDeleted)
          verdict.false.push(`${a} was deleted`)
        claim(verdict, code, isDeleted, `the deletion of ${a}`)
      },
    }
  },
  'merge-one': ({ stock }) => {
    const [a, b] = stock.free.splice(0, 2)
    return {
      words: ['contacts', 'merge', a, '--into', b, '--yes'],
      judge(verdict, { code }, entries) {
        const isMerged = entries.some(({ merged }) => merged?.source === a)
        claim(verdict, code, isMerged, `the merge of ${a}`)
        const sent = entries.filter(({ operation }) => operation === 'contacts.merge')
        const answered = sent.findIndex(({ status }) => !(status >= 400 && status < 500 && status !== 408))
        if (answered >= 0 && answered !== sent.length - 1) verdict.doubled.push(`the merge of ${a} was sent again`)
      },
    }
  },
  'assign-one': ({ stock, random }) => {
    const { id } = pick(random, stock.tickets)
    const to = pick(random, stock.employees)
    return {
      words: ['tickets', 'assign', id, '--to', to],
      async judge(verdict, { code }, entries, sandbox) {
        const now = (await sandbox.read('state?kind=tickets')).find((ticket) => ticket.id === id).assigneeId
        const changes = entries.filter(({ assigned }) => assigned !== undefined)
        if (code === 0 && now !== to) verdict.false.push(`the ticket ${id} is claimed to be assigned`)
        if (certainlyNot(code) && changes.length > 0)
          verdict.false.push(`exit ${code}, but the ticket ${id} was assigned`)
        if (changes.length > 1) verdict.doubled.push(`the ticket ${id} was assigned twice`)
      },
    }
  },
  create: ({ tag }) => {
    const name = `Chaos ${tag}`
    return {
      words: ['lists', 'create', '--name', name],
      judge(verdict, { code }, entries) {
        const created = entries.filter((entry) => entry.created !== undefined)
        claim(verdict, code, created.length > 0, `the list "${name}"`)
        if (created.length > 1) verdict.doubled.push(`the list "${name}" was created twice`)
      },
    }
  },
  update: ({ stock, random, tag }) => {
    const list = pick(random, stock.lists)
    const name = `Changed ${tag}`
    return {
      words: ['lists', 'update', list, '--name', name],
      async judge(verdict, { code }, _entries, sandbox) {
        const now = (await sandbox.read('state?kind=lists')).find(({ id }) => id === list).name
        claim(verdict, code, now === name, `the new name of ${list}`)
      },
    }
  },
}

/**
 * Judges twice: what is said must be true when it is said, and when every request has landed that was still under way.
 * A late one may make an id `deleted` after the run has ended; `unknown` and `gone` allow for it, `error`, `not-found`
 * and `not-attempted` do not.
 */
async function judgeTwice(verdict, sandbox, judge) {
  const problems = { lost: new Set(), doubled: new Set(), false: new Set() }
  for (const when of ['at once', 'later']) {
    if (when === 'later') await sandbox.settled()
    const judged = new Verdict()
    await judge(judged)
    for (const sort of Object.keys(problems)) for (const problem of judged[sort]) problems[sort].add(problem)
  }
  for (const [sort, found] of Object.entries(problems)) verdict[sort].push(...found)
}

async function single(kind, world) {
  const { sandbox, env } = world
  const first = (await sandbox.read('record')).length
  const { words, judge } = singles[kind](world)
  const ended = await svc([...words, ...hasty], env)
  const verdict = new Verdict()
  await judgeTwice(verdict, sandbox, async (judged) => {
    await judge(judged, ended, (await sandbox.read('record')).slice(first), sandbox)
  })
  return verdict
}

async function assigneesOf(sandbox) {
  return new Map((await sandbox.read('state?kind=tickets')).map(({ id, assigneeId }) => [id, assigneeId]))
}

async function bulk(kind, { sandbox, stock, env, random, folder }) {
  const plan = planEpisode(kind, { random, stock, folder, size: 40 })
  if (plan === undefined) return undefined
  const first = (await sandbox.read('record')).length
  const before = await assigneesOf(sandbox)
  const words = plan.words.filter((word) => word !== '--json')
  // Some faults come again and again: what was not reached by then is left.
  const { code, stdout, stderr } = await svc([...words, '-o', 'ndjson', '--deadline', '1s', ...hasty], env)
  const verdict = new Verdict()
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  if (code === 1 || code === 2 || !last.includes('"type":"summary"')) {
    verdict.lost.push(`no summary: exit ${code}\n${stderr}`)
    return verdict
  }
  const summary = JSON.parse(last)
  if (summary.exitCode !== code) verdict.false.push(`exit ${code}, but the summary says ${summary.exitCode}`)
  const receipts = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const outcomes = judgeCompleteness(verdict, plan.ids, receipts, summary)
  await judgeTwice(verdict, sandbox, async (judged) => {
    const record = (await sandbox.read('record')).slice(first)
    const found = plan.judge(outcomes, record, summary, { before, assignees: await assigneesOf(sandbox) })
    for (const sort of ['lost', 'doubled', 'false']) judged[sort].push(...found[sort])
  })
  return verdict
}

/** `log` gets a line for each problem. */
export async function runChaos({ runs, seed, log }) {
  const random = randomFrom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'svc-chaos-'))
  const result = { runs: 0, lost: 0, doubled: 0, false: 0 }
  let sandbox
  let stock
  try {
    while (result.runs < runs) {
      if (sandbox === undefined || stock.free.length < 60 || stock.lists.length < 20) {
        await sandbox?.stop()
        sandbox = await startSandbox(['--contacts', '4000', '--seed', String(1 + (seed % 1000))])
        stock = await stockOf(sandbox)
      }
      const kinds = random() < 0.6 ? bulkKinds : Object.keys(singles)
      const kind = kinds[Math.floor(random() * kinds.length)]
      const spec = someFaults(random)
      await sandbox.setFaults(spec)
      const home = join(folder, `home-${result.runs}`)
      mkdirSync(home)
      const env = { ...sandbox.env, HOME: home, SVC_STATE_DIR: home }
      const world = { sandbox, stock, env, random, folder, tag: result.runs }
      const verdict = kinds === bulkKinds ? await bulk(kind, world) : await single(kind, world)
      await sandbox.setFaults('')
      rmSync(home, { recursive: true, force: true })
      if (verdict === undefined) {
        stock.free.length = 0
        continue
      }
      result.runs += 1
      for (const sort of ['lost', 'doubled', 'false']) {
        result[sort] += verdict[sort].length
        for (const problem of verdict[sort].slice(0, 3))
          log(`seed ${seed}, run ${result.runs} (${kind}, ${spec}): ${sort}: ${problem}`)
      }
    }
  } finally {
    await sandbox?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return result
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '100' }, seed: { type: 'string' } } })
  const runs = Number(values.runs)
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed)
  if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed))
    throw new Error('--runs and --seed are whole numbers')
  console.log(`seed ${seed}`)
  const result = await runChaos({ runs, seed, log: (line) => console.log(line) })
  console.log(
    `${result.runs} chaos runs, ${result.lost} lost, ${result.doubled} doubled, ${result.false} falsely claimed`,
  )
  process.exitCode = result.lost + result.doubled + result.false === 0 ? 0 : 1
}
