/**
 * The schedulers of docs/scripting.md: their command lines, run in the places that they name, and the exit codes that they repeat. Which
 * volumes are the user's is in config/trust.test.ts.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { writeSvc } from '../programs.ts'
import { createSandboxWorld, createWorld, root, type Result } from '../svc.ts'
import { blocksOf, pageAt, tableUnder } from './pages.ts'

const page = pageAt('docs/scripting.md')
const world = await createSandboxWorld()
const { svc } = createWorld()
const machines = ownFolder('machines')

/** A block of the page that is a file. */
function file(name: string): string {
  const block = blocksOf(page).find((each) => each.file === name)
  if (block === undefined) throw new Error(`the page has no ${name}`)
  return block.code
}

const cronJob = file('cronjob.yaml')
const service = file('campaign.service')

/** The lists of this name in a manifest; lists of the pages have no quotes and no commas within. */
function lists(text: string, name: string): string[][] {
  return [...text.matchAll(new RegExp(`\\b${name}:\\s*\\[\\s*([^\\]]*?),?\\s*\\]`, 'g'))].map(
    ([, list = '']) => list.split(/,\s+/),
  )
}

/** The value of a line of a unit or crontab. */
function value(text: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
}

function variables(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => word.split('=', 2)))
}

type Run = (command: readonly string[], env: Readonly<Record<string, string>>) => Promise<Result>

/** A computer with `svc` and the script in place; the paths of the page lie in a folder of its own. */
function machine(): { folder: string; run: Run } {
  const folder = mkdtempSync(join(machines, 'machine-'))
  for (const name of ['bin', 'home/.config/svc', 'campaign', 'job', 'state'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
  writeSvc(join(folder, 'bin/svc'), async ({ words, cwd, env, input }) => {
    const here = process.cwd()
    // Scripts name files of their own folder.
    process.chdir(cwd)
    return svc(words, { cwd, env, stdin: input }).finally(() => process.chdir(here))
  })
  writeFileSync(join(folder, 'bin/nightly.sh'), file('nightly.sh'))
  const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = world.env
  const profiles = { prod: { baseUrl, apiKey, apiSecret } }
  const config = JSON.stringify({ current: 'prod', profiles })
  writeFileSync(join(folder, 'home/.config/svc/config.json'), config, { mode: 0o600 })
  const here = (text: string): string =>
    text
      .replaceAll('/usr/local/bin', join(folder, 'bin'))
      .replaceAll(/\/var\/lib\/campaign/g, join(folder, 'campaign'))
      .replaceAll(/^\/(?=job|state)/g, `${folder}/`)
  const run: Run = async ([command = '', ...words], env) => {
    const given = { HOME: join(folder, 'home'), PATH: '/usr/local/bin:/usr/bin:/bin', ...env }
    const placed = Object.fromEntries(
      Object.entries(given).map(([name, text]) => [name, here(text)]),
    )
    const options = { cwd: folder, env: placed }
    const running = promisify(execFile)(here(command), words.map(here), options)
    running.child.stdin?.end()
    return running.then(
      (output) => ({ code: 0, ...output }),
      (error: Error & Result) => error,
    )
  }
  return { folder, run }
}

const crontab = file('campaign.cron')
const cronLine = /^0 2-5 \* \* \* +svc +(.*) >> \S+ 2>&1$/m.exec(crontab)?.[1] ?? ''
const cronVariables = variables(crontab.match(/^[A-Z_]+=.*/gm) ?? [])

const jobs: Readonly<Record<string, (run: Run, folder: string) => Promise<Result>>> = {
  cron: (run) => run(['/bin/sh', '-c', cronLine], cronVariables),
  systemd(run, folder) {
    // systemd makes LoadCredential a file in a folder of this service.
    const [name = ''] = value(service, 'LoadCredential').split(':')
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials, { recursive: true, mode: 0o755 })
    writeFileSync(join(credentials, name), `${world.env['SVC_API_SECRET']}\n`, { mode: 0o444 })
    expect(value(service, 'EnvironmentFile')).toBe('/etc/svc/campaign.env')
    const { SVC_BASE_URL = '', SVC_API_KEY = '' } = world.env
    const environment = value(service, 'Environment').replaceAll('%d', credentials)
    return run(value(service, 'ExecStart').split(' '), {
      SVC_BASE_URL,
      SVC_API_KEY,
      ...variables(environment.split(' ')),
    })
  },
}

test.each(Object.entries(jobs))('the nightly job of %s is done, and once', async (_, job) => {
  const { run, folder } = machine()
  expect(await job(run, folder)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^OUTCOME +COUNT\nok +280\n  (?:added|already there) +280\n$/,
    ) as string,
  })
  expect(await job(run, folder)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('nothing was sent'),
  })
})

describe('the job of Kubernetes', () => {
  const [added = []] = lists(cronJob, 'args')
  const [exported = []] = lists(cronJob, 'command')
  const image = readFileSync(join(root, 'docs/scripting.md'), 'utf8')

  /** A container on the volume, which says where state lies. */
  async function contain(
    command: readonly string[],
    run: Run,
    name = 'campaign-298-29391000',
  ): Promise<Result> {
    const words = command.map((word) => word.replace('$(JOB)', name).replace(/^'(.*)'$/, '$1'))
    const variables = { HOME: '/tmp', XDG_STATE_HOME: value(image, 'ENV HOME=/tmp XDG_STATE_HOME') }
    return run(words, { ...variables, ...world.as('read-write') })
  }
  const toExport = ['/bin/sh', ...exported.slice(1)]
  const toAdd = ['/usr/local/bin/svc', ...added]

  test('reads its ids once, and is done once, in however many pods', async () => {
    const { run } = machine()
    const before = world.sandbox.requests.length
    for (const note of ['note: recorded as run ', 'nothing was sent']) {
      expect(await contain(toExport, run)).toMatchObject({ code: 0 })
      expect(await contain(toAdd, run)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(note) as string,
      })
    }
    const reads = world.sandbox.requests
      .slice(before)
      .filter(({ method, url }) => method === 'GET' && /lists\/\w+\?page=1&/.test(url))
    expect(reads).toHaveLength(1)
    expect(exported[0]).toBe('sh')
  })

  test('has the user of the image, and the name that Kubernetes gives to all pods of a job', () => {
    expect(cronJob).toContain('runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532')
    expect(added.join(' ')).toContain('--once $(JOB)')
    expect(cronJob).toMatch(
      /name: JOB\n +valueFrom: .*"metadata\.labels\['batch\.kubernetes\.io\/job-name'\]"/,
    )
  })
})

test('exit codes that need a person are not repeated, and all others are', () => {
  const [, repeated = [], person = []] = tableUnder(page, 'Jobs that run once').map(
    ([codes = '']) => codes.match(/\d+/g) ?? [],
  )
  expect(lists(cronJob, 'values')).toEqual([person])
  // 126 and 127: the shell did not find svc.
  expect(value(service, 'RestartPreventExitStatus').split(' ')).toEqual([...person, '126', '127'])
  // Ended by a signal, as a shell tells it.
  const withSignals = [...repeated, '129', '130', '137', '143']
  expect(lists(page.text, 'exit_codes')).toEqual([withSignals])
})
