/** What a person would do with an executable that was just unpacked. Each throws when something is not as it should be. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start, startSandbox } from '../../harness/processes.mjs'
import { bin, run } from '../../harness/tool.mjs'

/** Nothing is found by its name, and nothing of this machine's settings plays a part. */
const bare = (home) => ({ PATH: '', HOME: home, TZ: 'UTC' })
/** The same for a program that something else has to start. */
const started = (home) => ({ ...process.env, ...bare(home), PATH: process.env.PATH })

export function trySandbox(program, env = process.env) {
  const words = ['sandbox', 'exec', '--', 'svc', 'lists', 'get', 'VIP', '--json']
  return `the list ${JSON.parse(run(program, words, { env })).name}`
}

const pages = [
  ...[
    '--help',
    'lists --help',
    'lists list --help',
    'help lists add-contacts',
    'help bulk',
    'help --json',
  ],
  ...['completion bash', 'completion zsh', 'completion fish', '__complete lists a'],
]

/** What was printed when svc was built, and is not part of the code: the same as the npm package prints. */
export function tryPages(program, env = process.env) {
  for (const page of pages) {
    const words = page.split(' ')
    const [own, wanted] = [
      [program, words],
      [process.execPath, [bin, ...words]],
    ].map(([command, all]) => spawnSync(command, all, { encoding: 'utf8', env }))
    if (wanted.status !== 0 || wanted.stdout === '')
      throw new Error(`${page} of the build: ${wanted.stderr}`)
    if (own.status !== 0 || own.stdout !== wanted.stdout)
      throw new Error(
        `${page} is not what the build prints: exit ${own.status}, ${own.stdout}${own.stderr}`,
      )
  }
  return `${pages.length} as the build prints them`
}

/**
 * One bulk run, killed `kills` times at most and resumed as often: together they have added all of its contacts. Then what it has done
 * as a workbook, and a ticket as a page. `command`: the words that start svc; `beside`: those that start it beside a sandbox, by the
 * sandbox's pid. `inside`: what svc calls `folder`. `hasPath`: starting it needs a search path, which it is not given otherwise.
 */
export async function killAndResume(
  command,
  folder,
  { kills = 1, beside = () => command, inside = folder, hasPath = true } = {},
) {
  const env = hasPath ? started(inside) : bare(inside)
  const how = { before: command.slice(0, -1), program: command.at(-1) }
  const sandbox = await startSandbox(['--latency', '20ms'], env, how)
  const { examples } = sandbox
  try {
    const [program, ...words] = beside(sandbox.child.pid)
    const its = { ...env, ...sandbox.env }
    const svc = (...more) => run(program, [...words, ...more], { env: its, encoding: 'latin1' })
    // Asked by svc itself: where it runs may be out of reach from here.
    const ids = svc('contacts', 'list', '-o', 'ids').trimEnd().split('\n')
    // Half of the batches, at most, are sent before the last kill.
    const half = Math.floor(ids.length / 200)
    const times = Math.min(kills, half)
    const requests = Math.floor(half / times)
    mkdirSync(join(folder, 'job'), { recursive: true })
    writeFileSync(join(folder, 'job/ids.txt'), ids.join('\n'))
    const place = ['--state-dir', join(inside, 'job/state')]
    const job = [
      'lists',
      'add-contacts',
      examples.emptyList,
      '--file',
      join(inside, 'job/ids.txt'),
      '--once',
      'job',
    ]
    const resume = ['runs', 'resume', 'job', ...place, '--yes']
    for (let kill = 0; kill < times; kill += 1) {
      const first = [...job, ...place, '--yes', '--concurrency', '1']
      const all = [...words, ...(kill === 0 ? first : resume), '-v']
      await killed(start(program, all, { env: its }), requests)
    }
    const { result, status } = JSON.parse(svc(...resume, '--json'))
    const sum = result.added + result.skipped + result.addedOrSkipped
    if (status !== 'complete' || sum !== ids.length)
      throw new Error(`${sum} of ${ids.length} were added: ${status}`)
    const page = svc('tickets', 'history', examples.tickets.active, '-o', 'html')
    if (!/^<!doctype html>[^]*<\/html>\s*$/i.test(page))
      throw new Error(`no page: ${page.slice(0, 200)}`)
    const workbook = svc('runs', 'export', 'job', ...place, '-o', 'xlsx')
    if (!workbook.startsWith('PK\x03\x04') || !workbook.includes('PK\x05\x06'))
      throw new Error('no workbook')
    return `${ids.length} contacts, killed ${times} times: ${result.added} added, ${result.addedOrSkipped} by an attempt that was killed or before it`
  } finally {
    await sandbox.stop()
  }
}

/** Kills a run once it has told of so many requests. */
async function killed({ child, ended }, requests) {
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
    if (said.split('POST').length > requests) child.kill('SIGKILL')
  })
  const { signal } = await ended
  if (signal !== 'SIGKILL') throw new Error(`the run ended before it was killed: ${said}`)
}
