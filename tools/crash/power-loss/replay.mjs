/** Looks at what a power loss left of a recording, as a person would afterwards: `runs list`, `show`, `export`, and on. */
import { join } from 'node:path'
import { isSettled } from '../../harness/episode.mjs'
import { sorts } from '../../harness/judge.mjs'
import { linesOf, sandboxAt } from '../../harness/processes.mjs'
import { afterReboot, liveLater } from './boot.mjs'
import { Shelf } from './tree.mjs'
import { runOf } from './recording.mjs'
import { servicesOf } from './service.mjs'
import { readTraffic, assertAllSeen } from './traffic.mjs'
import { falseClaims } from './truth.mjs'

export class Replay {
  #world
  #shelf
  #startService
  #env
  #traffic
  #shown
  #receipts

  /** `world`: the recording, svc and sandboxes in this process, a folder, and the disk. */
  constructor(world) {
    const { recording, folder, startSandbox } = world
    this.#world = { ...world, run: runOf(recording.after) }
    // Where it was recorded: the journal knows the paths of the files that the run wrote.
    this.#shelf = new Shelf(recording.root)
    this.#startService = servicesOf({ startSandbox, folder, options: recording.options })
    this.#traffic = readTraffic(recording)
    assertAllSeen(this.#traffic, recording.requests)
    this.#shown = shownBy(recording)
    this.#receipts = receiptsOf(recording, world.disk)
    const { port } = recording.options
    const key = { SVC_API_KEY: 'pk_sandbox_read_write', SVC_API_SECRET: 'not used: nothing is sent' }
    const places = { HOME: folder, SVC_STATE_DIR: join(recording.root, 'state') }
    this.#env = { SVC_BASE_URL: `http://127.0.0.1:${port}`, ...key, ...places }
  }

  sentBy(cut) {
    return this.#traffic.filter(({ sentAt }) => sentAt < cut)
  }

  /** Whether a session had been killed by then: it may have written down attempts that it never sent. */
  #killedBy(cut) {
    const { events } = this.#world.recording
    const ended = new Set(events.filter(({ exit }) => exit !== undefined).map(({ pid }) => pid))
    const later = events[cut - 1]?.pid
    return events.slice(0, cut).some(({ pid }) => pid !== later && !ended.has(pid))
  }

  /** What is wrong with what can be read: nothing when every promise is kept. `isWhole`: nothing was lost. */
  async read(cut, tree, { isWhole }) {
    this.#shelf.put(tree)
    const { recording, run, svc } = this.#world
    const env = this.#env
    const requests = this.sentBy(cut)
    const listed = await svc(['runs', 'list', '--json'], env)
    if (listed.code !== 0) return [`runs list ends with ${listed.code}: ${listed.stderr}`]
    const row = JSON.parse(listed.stdout).find((row) => row.run === run)
    const problems = this.#receiptsProblems(cut, tree)
    if (row === undefined) {
      const writes = requests.filter(({ isWrite }) => isWrite)
      return writes.length === 0
        ? problems
        : [...problems, `there is no run, but ${writes.length} requests had been sent`]
    }
    const shown = await svc(['runs', 'show', run, '--json'], env)
    const exported = await svc(['runs', 'export', run, '-o', 'ndjson'], env)
    if (shown.code !== 0 || exported.code !== 0)
      return [...problems, `the run cannot be read: ${shown.stderr}${exported.stderr}`]
    const [summary, receipts] = [JSON.parse(shown.stdout), linesOf(exported.stdout)]
    return [
      ...problems,
      ...falseClaims(receipts, requests, { cut, wasKilled: this.#killedBy(cut), merges: recording.plan.merges }),
      ...this.#takenBack(cut, { status: isWhole ? row.status : undefined, summary, receipts }),
    ]
  }

  /** A receipts file is there whole or not at all; once the command that wrote it has ended, it is there. */
  #receiptsProblems(cut, tree) {
    const problems = []
    for (const { path, wholes, since } of this.#receipts) {
      const found = tree.get(path)
      if (found !== undefined && !wholes.some((bytes) => bytes.equals(found)))
        problems.push(`${path} is not whole: ${found.length} bytes`)
      if (found === undefined && since < cut) problems.push(`${path} is no longer there`)
    }
    return problems
  }

  /** What was shown before the power went must still be so. */
  #takenBack(cut, { status, summary, receipts }) {
    const problems = []
    const outcomes = new Map(receipts.map(({ id, outcome }) => [id, outcome]))
    for (const { at, result, rows } of this.#shown.filter(({ at }) => at < cut)) {
      const isLast = !this.#shown.some((other) => other.at > at && other.at < cut && other.result !== undefined)
      if (result !== undefined && isLast && JSON.stringify(result) !== JSON.stringify(summary.result))
        problems.push(`${JSON.stringify(result)} was shown, now it is ${JSON.stringify(summary.result)}`)
      if (result !== undefined && isLast && status === 'interrupted' && summary.status !== 'interrupted')
        problems.push('the run had ended, now it is interrupted')
      // A ticket that was found as wanted can be read again.
      for (const { id, outcome, attempts } of rows ?? [])
        if (outcomes.get(id) !== outcome && attempts > 0)
          problems.push(`${id} was shown as ${outcome}, now it is ${outcomes.get(id)}`)
    }
    return problems
  }

  /**
   * Continues from there, with a service that has had every request that is known to have arrived, and of the others those
   * that `arrives` says. With `reboot` the locks of before are found, and taken over; else there are none, and every claim
   * must be as strong as if a process had died. What is wrong with the end: nothing when every claim is true.
   */
  async goOn(cut, tree, { arrives, reboot }) {
    const found = reboot ? tree : new Map([...tree].filter(([path]) => !/\/lock[^/]*$/.test(path)))
    this.#shelf.put(found)
    const sent = this.sentBy(cut)
    const had = sent.filter((request) => isKnown(request, sent, cut) || arrives(request))
    const entries = had.flatMap(({ entry }) => (entry === undefined ? [] : [entry])).sort((a, b) => a.n - b.n)
    const sandbox = await this.#startService(entries)
    const work = () => this.#toTheEnd(sandboxAt(sandbox), { entries, reboot })
    try {
      return await (reboot ? afterReboot(work) : work())
    } finally {
      liveLater(0)
      await sandbox.close()
      this.#shelf.forget()
    }
  }

  async #toTheEnd({ env: credentials, read }, { entries, reboot }) {
    const { svc, recording } = this.#world
    const { plan, before } = recording
    const env = { ...this.#env, ...credentials }
    const find = async () => JSON.parse((await svc(['runs', 'list', '--json'], env)).stdout)[0]?.run
    for (let tries = 0; ; tries += 1) {
      // A merge waits six minutes for one before it that another process may have sent, and is still to take effect.
      liveLater(tries * 60_000)
      const run = await find()
      const words =
        run === undefined ? plan.sessions[0].words : plan.repeat.map((word) => (word === 'RUN' ? run : word))
      const { code, stdout, stderr } = await svc(reboot ? [...words, '--take-over'] : words, env)
      if (![0, 3, 7].includes(code)) return [`svc ${words.slice(0, 3).join(' ')} ends with ${code}: ${stderr}`]
      const last = stdout.startsWith('{"schema"') || stdout.startsWith('{\n') ? JSON.parse(stdout) : undefined
      if (last === undefined ? code !== 7 : isSettled(plan, last)) break
      if (tries === 12) return ['it does not come to an end']
    }
    const run = await find()
    const exported = await svc(['runs', 'export', run, '-o', 'ndjson'], env)
    const shown = await svc(['runs', 'show', run, '--json'], env)
    if (shown.code !== 0 || exported.code !== 0)
      return [`the run cannot be read at its end: ${shown.stderr}${exported.stderr}`]
    const later = (await read('record')).map((entry) => ({ ...entry, n: entry.n + 1e6 }))
    const verdict = plan.judge({
      receipts: linesOf(exported.stdout),
      summary: JSON.parse(shown.stdout),
      entries: [...entries, ...later],
      before,
      ownKey: credentials.SVC_API_KEY,
      interruptions: Infinity,
      // Behind a damaged line may have stood as many attempts as requests at once; after a take-over any.
      silent: reboot ? Infinity : plan.concurrency,
    })
    return sorts.flatMap((sort) => verdict[sort].map((problem) => `at the end: ${sort}: ${problem}`))
  }
}

/** Answered, or followed by an answered one about the same ids: then the service has had it in whatever order. */
function isKnown(request, sent, cut) {
  const isAbout = ({ ids }) => ids.some((id) => request.ids.includes(id))
  const later = sent.filter((other) => other.sentAt >= request.sentAt && other.answeredAt < cut)
  return later.some((other) => other === request || isAbout(other))
}

/** What each session showed, and where in the log: a summary, or rows of changes that must not be taken back. */
function shownBy({ events, plan }) {
  const shown = []
  const texts = new Map()
  for (const [at, { out, pid }] of events.entries()) {
    if (out === undefined) continue
    const text = (texts.get(pid) ?? '') + out
    texts.set(pid, text)
    if (text.startsWith('{"schema"') || text.startsWith('{\n')) {
      try {
        shown.push({ at, result: JSON.parse(text).result })
      } catch {
        // The rest of the document is still to come.
      }
      continue
    }
    const rows = text.slice(0, text.lastIndexOf('\n') + 1)
    texts.set(pid, text.slice(rows.length))
    // Losing an answer of a delete or an add makes a claim weaker; a change that is not sent again must stay known.
    if (plan.kind === 'assign' || plan.kind === 'merge') shown.push({ at, rows: linesOf(rows) })
  }
  return shown
}

/** Each receipts file with every whole content that it had, and the end of the first process that wrote one. */
function receiptsOf({ events, after }, disk) {
  const pattern = /^out\/receipts\.\w+$/
  const moves = disk.moves(pattern)
  return [...after.keys()]
    .filter((path) => pattern.test(path))
    .map((path) => {
      const its = moves.filter((move) => move.path === path)
      const since = events.findIndex(({ exit }, at) => exit !== undefined && at > (its[0]?.at ?? 0))
      return { path, wholes: [...its.map(({ bytes }) => bytes), after.get(path)], since: since < 0 ? Infinity : since }
    })
}
