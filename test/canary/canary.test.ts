/**
 * A secret that is used everywhere and may be seen nowhere: every command, with the secret from each place that it can come from; what starts
 * other programs as a real process, all else in this one. What they printed, wrote and called other programs
 * with is searched for it, in every usual form. First the search itself is proven: it finds a secret that was put there.
 */
import { createHmac } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../sandbox/watched.ts'
import { bin, onTerminal } from '../bulk/spawned.ts'
import { withoutFormat } from '../commands/place.ts'
import { figure } from '../figures/figure.ts'
import { createWorld, wordsOf } from '../svc.ts'
import { verbs } from '../tree.ts'
import { findSecret, formsOf } from './forms.ts'
import { createRecorder, type Ran } from './recorder.ts'

/** Looks different in each form. */
const canary = `Cana'ry+7/qZ"x\\é=93&%<$k`
/** A password in the address of a proxy. */
const proxyCanary = 'Pr0xy-canary_5521~word'

describe('the search finds a secret that was put there', () => {
  it.each(['as it is', 'URL', 'base64 after 1 bytes'])('in each place: %s', async (form) => {
    const recorder = createRecorder()
    const planted = formsOf(canary).get(form) ?? ''
    const bytes = Buffer.from(`before ${planted} after`)
    const print = 'printf %s "$1"; printf %s "$1" >&2; sleep 2'
    await recorder.run('/bin/sh', ['-c', print, 'sh', bytes.toString()])
    mkdirSync(join(recorder.folder, 'work/deep/er'), { recursive: true })
    writeFileSync(join(recorder.folder, 'work/deep/er/file'), bytes)
    symlinkSync(`to ${planted.replaceAll('/', '|')}`, join(recorder.folder, 'tmp/link'))
    recorder.add('the terminal', bytes.toString())
    const places = recorder.search([canary])
    const where = places.filter(({ forms }) => forms.includes(form)).map((place) => place.where)
    expect(where.filter((one) => one.startsWith('stdout of'))).toHaveLength(1)
    expect(where.filter((one) => one.startsWith('stderr of'))).toHaveLength(1)
    const ofCommandLines = where.filter((one) => one.startsWith('the command line of'))
    expect(ofCommandLines).toHaveLength(process.platform === 'linux' ? 1 : 0)
    expect(where).toContain('work/deep/er/file')
    expect(where).toContain('the terminal')
    // A name can hold what has no slash in it.
    const inNames = planted.includes('/') ? [] : ['tmp/link', `the name of work/named ${planted}`]
    if (inNames.length > 0) writeFileSync(join(recorder.folder, 'work', `named ${planted}`), '')
    expect(recorder.search([canary]).map((place) => place.where)).toEqual(
      expect.arrayContaining(inNames),
    )
    expect(
      recorder.search([canary], ['work/deep/er/file']).map((place) => place.where),
    ).not.toContain('work/deep/er/file')
  })

  it.each([...formsOf(canary)])('with a line end anywhere in it: %s', (name, planted) => {
    for (let at = 1; at < planted.length; at += 1) {
      const broken = `x ${planted.slice(0, at)}\r\n  ${planted.slice(at)} y`
      expect(findSecret(canary, broken)).toContain(name)
    }
  })

  it('and nothing where there is none', () => {
    expect(findSecret(canary, JSON.stringify([...formsOf('another secret').values()]))).toEqual([])
  })
})

describe.runIf(process.platform === 'linux')('command lines', () => {
  it('of a child of a child, too', async () => {
    const recorder = createRecorder()
    await recorder.run('/bin/sh', ['-c', `"$NODE" -e 'setTimeout(() => {}, 200)' "$WORD"; true`], {
      env: { NODE: process.execPath, WORD: proxyCanary },
    })
    expect(recorder.search([proxyCanary]).map(({ where }) => where)).toHaveLength(1)
  })
})

/** A service that knows the canary: what is signed with it is signed anew for the sandbox behind it. */
async function serviceOf(
  sandbox: Sandbox,
): Promise<{ url: string; close: () => void; accepted: () => number }> {
  const [key] = sandbox.keys
  let accepted = 0
  const sign = (secret: string, headers: IncomingHttpHeaders, body: Buffer): string =>
    createHmac('sha256', secret)
      .update(`${String(headers['x-service-timestamp'])}.`)
      .update(body)
      .digest('hex')
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const headers = { ...incoming.headers }
      const isRight = sign(canary, headers, body) === headers['x-service-signature']
      if (isRight) {
        accepted += 1
        headers['x-service-key'] = key?.apiKey
        headers['x-service-signature'] = sign(key?.apiSecret ?? '', headers, body)
      }
      const onward = request(
        `${sandbox.baseUrl}${incoming.url ?? ''}`,
        { method: incoming.method, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(outgoing)
          answer.on('error', () => outgoing.destroy())
        },
      )
      onward.on('error', () => outgoing.destroy())
      onward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close(), accepted: () => accepted }
}

describe('no command shows it', () => {
  const recorder = createRecorder()
  const { folder } = recorder
  const world = createWorld()
  const ran: string[] = []
  const before = process.cwd()
  let sandbox: Sandbox
  let service: Awaited<ReturnType<typeof serviceOf>>
  let fromEnvironment: Record<string, string> = {}

  beforeAll(async () => {
    // Commands in this process name files as the others do.
    process.chdir(join(folder, 'work'))
    sandbox = await startSandbox({ contacts: 1000 })
    service = await serviceOf(sandbox)
    fromEnvironment = {
      SVC_BASE_URL: service.url,
      SVC_API_KEY: 'pk_canary_1234',
      SVC_API_SECRET: canary,
    }
    const files: Record<string, string> = {
      'work/ids.txt': sandbox.examples.contactsWithoutChats.slice(0, 30).join('\n'),
      'work/more.txt': sandbox.examples.contactsWithoutChats.slice(30, 60).join('\n'),
      'work/bad.txt': 'x\n5.07E+23\n',
      'work/tickets.txt': sandbox.examples.assignableTickets.slice(0, 3).join('\n'),
      'work/body.json': '{"name":"From a file"}',
      'secret.txt': `${canary}\n`,
      'wrong.txt': `${canary}x\n`,
      'broken/config.json': `{"profiles": {"prod": {"apiSecret": ${JSON.stringify(canary)}, }}}`,
      'broken/config.yaml': `profiles:\n  prod:\n    apiSecret: "${canary.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}\n  x: [`,
      'broken/shape.json': JSON.stringify({
        profiles: { prod: { baseUrl: service.url, apiKey: 'k', apiSecret: [canary] } },
      }),
      // Says what it was called with, and by whom.
      'print-secret': `#!/bin/sh\ncat /proc/$$/cmdline /proc/$PPID/cmdline >> '${folder}/command-lines' 2>/dev/null\ncat '${folder}/secret.txt'\n`,
      'print-and-fail': `#!/bin/sh\ncat '${folder}/secret.txt'\ncat '${folder}/secret.txt' >&2\nexit 3\n`,
      'print-twice': `#!/bin/sh\ncat '${folder}/secret.txt' '${folder}/secret.txt'\n`,
    }
    mkdirSync(join(folder, 'broken'))
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), content, { mode: name.startsWith('print') ? 0o700 : 0o600 })
      chmodSync(join(folder, name), name.startsWith('print') ? 0o700 : 0o600)
    }
  })

  afterAll(async () => {
    process.chdir(before)
    service.close()
    await sandbox.close()
  })

  async function svc(
    line: string,
    env: Record<string, string> = fromEnvironment,
    stdin?: string,
  ): Promise<Ran> {
    ran.push(line)
    return recorder.run(process.execPath, [bin, ...wordsOf(line)], {
      env,
      ...(stdin === undefined ? {} : { stdin }),
    })
  }

  /** One that starts no other program, in this process. */
  async function svcHere(
    line: string,
    env: Record<string, string> = fromEnvironment,
  ): Promise<Ran> {
    ran.push(line)
    const ended = await world.svc(line, { cwd: process.cwd(), env: { ...recorder.env, ...env } })
    recorder.ran(line, ended)
    return ended
  }

  /** Several at a time, in any order. */
  async function all(
    lines: readonly string[],
    env?: Record<string, string>,
    run: typeof svcHere = svc,
  ): Promise<Ran[]> {
    const results: Ran[] = []
    const left = [...lines]
    const worker = async (): Promise<void> => {
      for (let line = left.shift(); line !== undefined; line = left.shift())
        results.push(await run(line, env))
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    return results
  }

  const allHere = (lines: readonly string[], env?: Record<string, string>) =>
    all(lines, env, svcHere)
  const long = { timeout: 240_000 }

  it('reads, help, ids, signatures: in every format, with -vv', long, async () => {
    const { active, hostile } = sandbox.examples.tickets
    const here = await allHere([
      'lists get VIP -vv',
      `tickets history ${hostile} -o html -vv`,
      `tickets history ${active} -o ndjson --error-format json -vv`,
      `tickets history ${active} ${hostile} -o csv -vv`,
      'employees list -vv --json',
      'api /v1/lists --body-file body.json -vv',
      'whoami --json -vv',
      'whoami --offline --json',
      'profiles show -vv',
      'lists list --limit x -vv',
      'lists liszt -vv',
    ])
    const processes = await all([
      'lists list -vv',
      'doctor --json -vv',
      'sandbox exec -- env',
      'sandbox shell --shell bash',
    ])
    const results = [...here, ...processes]
    expect(results.filter(({ code }) => code === 0).length).toBeGreaterThan(10)
    // The service did accept what was signed with it: it was in use.
    expect(service.accepted()).toBeGreaterThan(10)
  })

  it('changes and bulk runs, their journals, receipts and resumes', long, async () => {
    const [ticket] = sandbox.examples.assignableTickets
    const [one, other] = sandbox.examples.contactsWithoutChats.slice(60, 62)
    const to = sandbox.store.employees.find(({ status }) => status === 'active')?.id ?? ''
    await allHere([
      'lists create --name "Canary 1" -vv',
      'lists create --name "Canary 1" --if-not-exists --json -vv',
      'lists update "Campaign 296" --description new -vv',
      `tickets assign ${ticket ?? ''} --to ${to} -vv`,
      `contacts merge ${one ?? ''} --into ${other ?? ''} --yes -vv`,
      'contacts delete --file bad.txt --yes --skip-invalid -vv',
    ])
    const failing =
      'contacts.delete:1=429,retry-after=0 contacts.delete:2=drop-after-apply contacts.delete:4+=401'
    sandbox.setFaults(failing)
    await svcHere(
      'contacts delete --file ids.txt --yes batches-of=5 --concurrency 2 --receipts deleted.csv -vv',
    )
    sandbox.setFaults(
      'lists.add-contacts:2=500 lists.add-contacts:3=html lists.add-contacts:4=wrong-sums',
    )
    await svcHere(
      'lists add-contacts VIP --file more.txt batches-of=5 --isolate --receipts added.ndjson -o ndjson -vv',
    )
    sandbox.setFaults()
    await svcHere(`tickets assign --file tickets.txt --to ${to} --yes --json -vv`)
    const listed = await svcHere('runs list --json -vv')
    const runs = JSON.parse(listed.stdout) as { run: string }[]
    expect(runs.length).toBeGreaterThan(2)
    for (const { run } of runs) {
      await allHere([
        `runs show ${run} --json -vv`,
        `runs export ${run} -o csv -vv`,
        `runs resume ${run} --yes -vv`,
      ])
    }
    await svcHere(`runs retry ${runs[0]?.run ?? ''} --outcome error,unknown --yes -vv`)
    await svcHere(`runs undo ${runs[0]?.run ?? ''} --yes -vv`)
    await svcHere(`runs resume ${runs[0]?.run ?? ''} --yes -vv`, {
      ...fromEnvironment,
      SVC_API_KEY: 'pk_another',
    })
    expect(
      readFileSync(join(folder, 'work/deleted.csv'), 'utf8').split('\n').length,
    ).toBeGreaterThan(30)
  })

  it(
    'what goes wrong: the service, the network, the clock, a proxy, another origin',
    long,
    async () => {
      const line = 'lists list --limit 1 --retries 1 --max-retry-wait 10ms --timeout 300ms -vv'
      const before = recorder.counts.commands
      for (const [i, fault] of [
        '401',
        '403',
        '404',
        '429',
        '500',
        'reset',
        'hang-before',
        'html',
        'gzip',
        'invalid-json',
        'clock=-6m',
        'redirect,to=https://evil.example/',
      ].entries()) {
        sandbox.setFaults(fault.includes('clock') ? fault : `*:1+=${fault}`)
        await svcHere(i % 2 === 0 ? line : `${line} --json`)
      }
      sandbox.setFaults()
      const proxied = {
        ...fromEnvironment,
        SVC_BASE_URL: 'https://service.invalid',
        HTTPS_PROXY: `http://user:${proxyCanary}@127.0.0.1:9`,
      }
      await allHere([line, `${line} --json`, 'doctor -vv', 'doctor --json'], proxied)
      await allHere([line, 'doctor -vv'], {
        ...proxied,
        HTTPS_PROXY: `ftp://user:${proxyCanary}@127.0.0.1:9`,
      })
      await allHere([`${line} --base-url https://other.invalid`, line], {
        ...fromEnvironment,
        SVC_BASE_URL: 'https://service.invalid',
      })
      await allHere([line, 'doctor -vv'], {
        ...fromEnvironment,
        SVC_BASE_URL: `https://user:${proxyCanary}@service.invalid`,
      })
      await allHere([line, 'doctor', 'profiles show'], {
        ...fromEnvironment,
        SVC_API_SECRET: `${canary}\n${canary}`,
      })
      await allHere([line, 'doctor', 'profiles show'], {
        ...fromEnvironment,
        SVC_API_SECRET: `${canary} `,
      })
      await allHere([line, 'doctor'], { ...fromEnvironment, SVC_API_SECRET: `${canary}x` })
      await allHere([line, 'doctor'], { ...fromEnvironment, SVC_API_SECRET_FILE: '../secret.txt' })
      for (const name of ['config.json', 'config.yaml', 'shape.json']) {
        await allHere(
          [
            `${line} --config ../broken/${name}`,
            `doctor --config ../broken/${name}`,
            `profiles list --config ../broken/${name}`,
          ],
          {},
        )
      }
      expect(recorder.counts.commands - before).toBeGreaterThan(30)
    },
  )

  it(
    'profiles that get it from standard input, a variable, a file, a command, a terminal',
    long,
    async () => {
      const none = {}
      const add = (name: string, more: string): string =>
        `profiles add ${name} --url ${service.url} --key pk_canary_1234 ${more} -vv`
      const own = { CANARY_SECRET: canary }
      const results = [
        await svc(add('in-file', '--secret-stdin'), none, `${canary}\n`),
        await svc(add('in-variable', '--secret-env CANARY_SECRET'), own),
        await svc(add('in-secret-file', '--secret-file ../secret.txt'), none),
        await svc(add('by-command', `--secret-command ${folder}/print-secret`), none),
      ]
      expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0])
      await svc(add('wrong-file', '--secret-file ../wrong.txt'), none)
      await svc(add('by-failing', `--secret-command ${folder}/print-and-fail`), none)
      await svc(add('by-two-lines', `--secret-command ${folder}/print-twice`), none)
      await svc(add('in-file', '--secret-stdin'), none, `${canary}\n`)
      await svc(add('two-lines', '--secret-stdin'), none, `${canary}\n${canary}\n`)
      await svc(add('blank', '--secret-stdin'), none, ` ${canary} x\n`)
      const looks = (names: readonly string[]): string[] =>
        names.flatMap((name, i) => [
          `${['whoami', 'doctor'][i % 2] ?? ''} -p ${name} -vv`,
          `${['profiles show -p', 'profiles show'][i % 2] ?? ''} ${name} --json`,
        ])
      await allHere(looks(['in-file', 'in-variable', 'in-secret-file', 'wrong-file']), own)
      await all(looks(['by-command', 'by-failing', 'by-two-lines']), own)
      await svcHere('profiles use by-command', none)
      await svc('contacts delete --file more.txt --yes -vv', none)
      await svc('runs prune --older-than 1s --yes -vv', none)
      await svcHere('profiles remove in-variable --yes -vv', none)
      const typed = onTerminal(
        `svc profiles add typed --url ${service.url} --key pk_canary_1234 -vv; svc whoami -p typed -vv`,
        recorder.env,
        join(folder, 'work'),
      )
      await typed.shows('not shown')
      typed.pty.write(`${canary}\r`)
      await typed.exited
      expect(typed.text()).toContain('typed')
      recorder.add('the terminal', typed.text())
    },
  )

  it('an option that was given the secret itself by mistake does not repeat it', long, async () => {
    for (const line of ['--secret-env', '--secret', '--api-secret']) {
      ran.push(line)
      const words = [
        'profiles',
        'add',
        'mistake',
        '--url',
        service.url,
        '--key',
        'pk_canary_1234',
        line,
        canary,
      ]
      const { code } = await recorder.run(process.execPath, [bin, ...words], {
        env: fromEnvironment,
        typed: true,
      })
      expect(code).not.toBe(0)
    }
  })

  it('every verb was among them', async () => {
    const isRun = ({ path }: { path: string }): boolean =>
      ran.some((line) => `svc ${line} `.startsWith(`${path} `))
    // It ends by a signal only, and its keys are its own.
    const left = verbs.filter((verb) => verb.path !== 'svc sandbox start' && !isRun(verb))
    // One list tells as much as all.
    const narrowed = (line: string): string =>
      line.replace(/^contacts (?:list|duplicates)\b/, '$& --in VIP')
    await allHere(left.map(({ examples: [line = ''] }) => `${narrowed(withoutFormat(line))} -vv`))
    expect(left.filter((verb) => !isRun(verb))).toEqual([])
  })

  it('and it stands in nothing but the files that are its place', () => {
    const own = '.config/svc/config.json'
    expect(findSecret(canary, readFileSync(join(folder, own)))).not.toEqual([])
    const broken = ['config.json', 'config.yaml', 'shape.json'].map((name) => `broken/${name}`)
    const places = recorder.search(
      [canary, proxyCanary],
      [own, 'secret.txt', 'wrong.txt', ...broken],
    )
    const { commands, files } = recorder.counts
    figure('commands searched for secrets', commands)
    figure('files searched for secrets', files)
    figure('secrets found', places.length)
    expect(places).toEqual([])
    expect(commands).toBeGreaterThan(100)
    expect(files).toBeGreaterThan(15)
  })

  it.runIf(process.platform === 'linux')('the command lines were read', () => {
    expect(recorder.counts.commandLines).toBeGreaterThan(20)
    expect(readFileSync(join(folder, 'command-lines'), 'utf8')).toContain('print-secret')
  })
})
