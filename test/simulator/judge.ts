/** Compares what commands claim, and what the record says, with what the service really did. A claim that is false is told in words. */
import {
  recordedRuns,
  receiptsOf,
  type Outcome,
  type Receipt,
  type RunFacts,
} from '../../src/runs/engine.ts'
import type { Host } from '../../src/host.ts'
import type { Call, Folder } from './disk.ts'
import { fakeFs } from './fake-fs.ts'
import { fold, hasLateAttempt, isOpen, linesOf, partsOf, type Facts, type Item } from './fold.ts'
import type { Printed } from './process.ts'
import type { Request } from './service.ts'
import type { Own, Process, Witness, World } from './world.ts'

/** Effects that count as a change of an item, by operation. */
const kinds: Readonly<Record<string, string>> = {
  'contacts.delete': 'deleted',
  'lists.add-contacts': 'added',
  'contacts.merge': 'merged',
  'tickets.assign': 'assigned',
}
const runsFolder = '/state/runs'
const short = (id: string) => id.slice(-4)

export class Judge implements Witness {
  readonly wrong = new Set<string>()
  /** The outcomes of all printed receipts. */
  readonly outcomes: Outcome[] = []
  /** A person has damaged the disk, or it has lost what was synced. */
  isDamaged = false
  /** Lines were cut off unnoticed, so that the record does not know what they said. */
  isBlind = false
  /** A file of somebody else. */
  foreign: { path: string; text: string } | undefined
  readonly #world: World
  readonly #printed: { printed: Printed; folder: Folder; facts: Facts }[] = []
  /** The ids that somebody was told would not be sent. */
  readonly #named = new Map<Folder, Set<string>>()
  /** The ids that a resume has asked about. */
  readonly #asked = new Map<Process, readonly string[]>()
  readonly #removed = new Map<Folder, string>()
  readonly #removedDue = new Set<Folder>()

  constructor(world: World) {
    this.#world = world
    world.witness = this
  }

  #runs(): [string, Folder][] {
    const folder = this.#world.disk.find(runsFolder)
    const all = folder?.kind === 'folder' ? [...folder.entries] : []
    return all.flatMap(([name, inode]) =>
      inode.kind === 'folder' && !name.startsWith('.') ? [[name, inode]] : [],
    )
  }

  // What is seen while it happens

  onWrite(process: Process, text: string) {
    if (text.includes('"t":"res"')) this.#world.service.onResults(process)
  }

  onAsk(process: Process, named: readonly string[]) {
    const { command } = process.start
    if (command.verb === 'resume') this.#asked.set(process, named)
    if (command.verb !== 'close') return
    const typed = command.run.toLowerCase()
    for (const [name, [folder]] of process.folders) {
      if (folder === undefined || (name !== typed && name !== `@${typed}`)) continue
      const { operation = '', items = [] } = fold(folder) ?? {}
      // A merge in doubt is not sent again anyway, even if a late answer says that it was turned away.
      const inDoubt = items.filter(
        ({ outcome }) => operation === 'contacts.merge' && outcome === 'unknown',
      )
      const all = [...named, ...inDoubt.map(({ id }) => id)]
      this.#named.set(folder, new Set([...(this.#named.get(folder) ?? []), ...all]))
    }
  }

  onMove(process: Process, { path = '', to = '' }: Call) {
    const folder = this.#world.disk.find(path)
    if (folder?.kind !== 'folder') return
    // Another run had the name by then, and gets it back.
    if (!to.startsWith(`${runsFolder}/.`)) {
      this.#removed.delete(folder)
      this.#removedDue.delete(folder)
    }
    const isRun = path.startsWith(runsFolder) && !path.startsWith(`${runsFolder}/.`)
    if (!isRun || !to.startsWith(`${runsFolder}/.`)) return
    this.#removed.set(folder, path)
    if (process.start.command.verb !== 'remove') this.wrong.add(`${path} was taken away`)
    const facts = fold(folder)
    if (facts === undefined || facts.isDamaged || facts.isClosed || this.isDamaged) return
    if (facts.items.some(({ isDue }) => isDue)) this.#removedDue.add(folder)
  }

  /** A new part is on disk, and so is what stands before it. */
  onSync({ own, read }: Process, ino: number) {
    if (own?.ino !== ino || this.isDamaged) return
    const before = own.folder.entries.get(`${own.part - 1}.ndjson`)
    if (before?.kind === 'file' && before.synced.length < (read.get(before.ino) ?? 0))
      this.wrong.add('a part is on disk, and a power loss could take what stands before it')
  }

  /** A run that was closed stays so, and nobody goes on with it. */
  onEnd({ end, own, syncedAt }: Process) {
    if (end !== 'exit 0: close' || own === undefined) return
    const next = own.folder.entries.get(`${own.part + 1}.ndjson`)
    if (next !== undefined && next.bornAt < syncedAt)
      this.wrong.add('a run was closed although somebody goes on with it')
    const part = own.folder.entries.get(`${own.part}.ndjson`)
    const isClosed = part?.kind === 'file' && linesOf(part.synced).some((line) => line?.closed)
    if (!isClosed && !this.isDamaged && own.folder.goneAt === undefined)
      this.wrong.add('a run was closed, and a power loss could open it')
  }

  onSend(process: Process, request: Request) {
    const { own } = process
    if (request.ids.length === 0 || this.isBlind) return
    if (own === undefined) return void this.wrong.add('a request left without a record')
    const asked = this.#asked.get(process)
    if (asked !== undefined && !request.ids.every((id) => asked.includes(id)))
      this.wrong.add('a request left about which nobody was asked')
    this.#checkOwn(process, own, request)
    const items = fold(own.folder)?.items ?? []
    if (items.some(({ id, isSentOver }) => isSentOver && request.ids.includes(id)))
      this.wrong.add('a ticket whose attempt was lost was sent over somebody else')
    this.#checkMergeTwice(request)
    if (!this.#world.hasLostPower && !this.isDamaged) this.#checkOpen(own, request)
  }

  /** The part of a request is this command's, is the last one, and would survive a power loss. */
  #checkOwn({ read }: Process, { run, folder, part, ino }: Own, { ids, syncedAt }: Request) {
    const { disk } = this.#world
    const next = folder.entries.get(`${part + 1}.ndjson`)
    if (next !== undefined && next.bornAt < syncedAt)
      this.wrong.add('a request left although there was a next part before its attempt was synced')
    if ((folder.goneAt ?? Infinity) < syncedAt) this.wrong.add('a request left without its record')
    if (run.startsWith('.')) this.wrong.add('a request left before its run had a name')
    const runs = disk.find(runsFolder)
    if (this.isDamaged || folder.goneAt !== undefined || runs?.kind !== 'folder') return
    const isNamed = runs.synced.get(run) === folder && disk.state.root.synced.has('state')
    const own = folder.synced.get(`${part}.ndjson`)
    const hasTry =
      own?.kind === 'file' &&
      own.ino === ino &&
      ids.every((id) => isTried(fold(folder), own.synced, id))
    if (!isNamed || !hasTry) this.wrong.add('a request left whose attempt a power loss could take')
    const [first] = partsOf(folder)
    const before = folder.entries.get(`${part - 1}.ndjson`)
    if (before?.kind === 'file' && before.synced.length < (read.get(before.ino) ?? 0))
      this.wrong.add('a request left, and a power loss could take what stands before it')
    const count = first && linesOf(first.data).filter((line) => line?.t === 'ids').length
    if (count !== (first && linesOf(first.synced).filter((line) => line?.t === 'ids').length))
      this.wrong.add('a request left whose head a power loss could take')
  }

  /** A merge does not leave again after an attempt that may have been made. */
  #checkMergeTwice({ path, ids }: Request) {
    if (!path.endsWith('/merge')) return
    const before = this.#world.service.requests.filter(
      ({ path: its, ids: [id], kind, run }) =>
        its.endsWith('/merge') &&
        id === ids[0] &&
        (kind === 'pending' || kind === 'ambiguous') &&
        (run === undefined || !this.#removed.has(run)),
    )
    if (before.length > 0) this.wrong.add(`the merge of ${short(ids[0] ?? '')} left twice`)
  }

  /** A process that was suspended behind its last check knows nothing of a run that began then. */
  #checkOpen({ folder }: Own, { path, ids, syncedAt }: Request) {
    const operation = path.endsWith('/merge')
      ? 'contacts.merge'
      : path.endsWith('/bulk-delete')
        ? 'contacts.delete'
        : undefined
    for (const [name, other] of this.#runs()) {
      const isJudged = other !== folder && operation !== undefined && other.bornAt < syncedAt
      const facts = isJudged ? fold(other) : undefined
      if (facts?.operation !== operation) continue
      const open = facts?.items.filter((each) => ids.includes(each.id) && isOpen(facts, each))
      if (open !== undefined && open.length > 0)
        this.wrong.add(`${short(ids[0] ?? '')} was sent while it was open in ${name}`)
    }
  }

  onPrint(process: Process, printed: Printed) {
    this.outcomes.push(...printed.receipts.map(({ outcome }) => outcome))
    if (this.isBlind) return
    const read = process.folders.get(printed.run) ?? []
    const ids = printed.receipts.map(({ id }) => id)
    const folder = read.find(
      (each) => String(fold(each)?.items.map(({ id }) => id)) === String(ids),
    )
    const facts = folder && fold(folder)
    // The record that was read may have been removed meanwhile, and another one have its name and ids.
    if (read.some((each) => each !== folder && each.goneAt !== undefined)) return
    if (folder === undefined || facts === undefined) {
      if (folder?.goneAt === undefined)
        this.wrong.add(`a result of ${printed.run}, which nobody has begun`)
      return
    }
    this.#printed.push({ printed, folder, facts })
    const { summary, receipts, run } = printed
    const { own } = process
    const next = own?.folder === folder && folder.entries.get(`${own.part + 1}.ndjson`)
    if (next && next.bornAt < process.syncedAt && summary.exitCode !== 1)
      this.wrong.add('a result was printed although somebody goes on with the run')
    if (receipts.length !== facts.items.length)
      this.wrong.add(`${receipts.length} receipts of ${facts.items.length} ids in ${run}`)
    // Behind its synced `end` it only prints.
    const part = own?.folder === folder && folder.entries.get(`${own.part}.ndjson`)
    const hasEnded = part && part.kind === 'file' && linesOf(part.synced).at(-1)?.t === 'end'
    const until = hasEnded ? process.syncedAt : Infinity
    this.#checkReceipts(folder, facts, receipts, until)
    const made = this.#effects(folder, facts.operation, { until }).length
    if (summary.added !== null && summary.added !== made)
      this.wrong.add(`${run} says that ${summary.added} were added, and ${made} were`)
    const { done = 0, gone = 0, unknown = 0 } = summary.outcomes
    const isOutside = made < done || made > done + gone + unknown
    if (facts.operation === 'contacts.delete' && isOutside)
      this.wrong.add(`${run}: ${made} were deleted, not ${done} to ${done + gone + unknown}`)
    const areAllDone = receipts.every(({ outcome }) => outcome === 'done' || outcome === 'gone')
    if (summary.exitCode === 0 && !areAllDone) this.wrong.add(`${run} ended with 0, not all done`)
    if (summary.due > 0 && [0, 3].includes(summary.exitCode))
      this.wrong.add(`${run} ended with ${summary.exitCode}, ${summary.due} are due`)
  }

  // Claims

  #effects(
    folder: Folder,
    operation: string,
    { id, until = Infinity }: { id?: string; until?: number } = {},
  ) {
    return this.#world.service.effects.filter(
      (each) =>
        each.run === folder &&
        each.kind === kinds[operation] &&
        (id ?? each.id) === each.id &&
        each.step <= until,
    )
  }

  /** Claims of what was due are true until somebody sends it. `until`: the last step that they can know. */
  #checkReceipts(folder: Folder, facts: Facts, receipts: readonly Receipt[], until?: number) {
    for (const [at, { outcome }] of receipts.entries()) {
      if (until === undefined && (outcome === 'not-attempted' || outcome === 'unknown')) continue
      const item = facts.items[at]
      const problem = item && this.#problemOf(folder, facts, { ...item, outcome }, until)
      if (problem !== undefined)
        this.wrong.add(`${facts.run}: ${short(item?.id ?? '')} ${outcome}: ${problem}`)
    }
  }

  #problemOf(folder: Folder, facts: Facts, item: Item, until?: number): string | undefined {
    const { service } = this.#world
    const { operation, target, ifAssignee } = facts
    const { id, outcome, other, expected = ifAssignee } = item
    const { length: own } = this.#effects(folder, operation, { id, until: until ?? Infinity })
    if (outcome === 'unknown') return undefined
    if (outcome === 'gone') return service.contacts.has(id) ? 'it is still there' : undefined
    if (outcome === 'done') {
      if (operation === 'contacts.delete' || operation === 'contacts.merge')
        return own === 1 ? undefined : `${own} changes were made by this run`
      if (operation === 'lists.add-contacts')
        return service.once.member.has(id) ? undefined : 'it was never on the list'
      const wanted = other ?? target ?? ''
      return this.#holders(folder, id).includes(wanted) ? undefined : 'never with that assignee'
    }
    // Somebody else may have deleted a contact that was added.
    if (outcome === 'not-found' && (own === 0 || operation === 'lists.add-contacts'))
      return service.once.absent.has(id) ? undefined : 'it was there all along'
    if (own > 0) return 'this run has changed it'
    if (outcome === 'blocked')
      return service.once.blocked.has(id) ? undefined : 'it was never blocked'
    if (outcome === 'error' && operation !== 'tickets.assign')
      return this.#wasRefused(folder, id) ? undefined : 'it was never refused for good'
    if (outcome === 'kept')
      return this.#holders(folder, id).some((who) => who !== expected)
        ? undefined
        : 'nobody else had it'
    return undefined
  }

  /** Refused, but not for now, and not for the key. */
  #wasRefused(folder: Folder, id: string) {
    return this.#world.service.requests.some(
      ({ run, ids, status = 0 }) =>
        run === folder && ids.includes(id) && status >= 400 && ![401, 403, 429].includes(status),
    )
  }

  /** Everybody who had a ticket since a run began. */
  #holders({ bornAt }: Folder, id: string) {
    const all = this.#world.service.holders.get(id) ?? []
    const first = all.findLastIndex(({ step }) => step <= bornAt)
    return all.slice(Math.max(0, first)).map(({ who }) => who ?? '')
  }

  // The end of a world

  /** Compares everything that was said, and the record as svc reads it, with what was done. */
  async conclude(): Promise<void> {
    for (const { printed, folder, facts } of this.#printed) {
      // A command that could not write its record has printed what it knew. The next one may know less, and change more.
      // And lines that were cut off unnoticed are sent again.
      if (printed.summary.exitCode !== 1 && !this.isBlind)
        this.#checkReceipts(folder, facts, printed.receipts)
      const after = fold(folder)
      const isDueAgain = printed.summary.due === 0 && after?.items.some((each) => each.isDue)
      const isThere = !this.isDamaged && folder.goneAt === undefined
      if (isDueAgain === true && after?.isClosed === false && isThere)
        this.wrong.add(`${printed.run} was finished, and ids are due again`)
    }
    if (this.#removedDue.size > 0) this.wrong.add('a run was removed with ids due')
    await this.checkRecords()
    for (const { end = '', start } of this.#world.processes) {
      if (end.startsWith('defect')) this.wrong.add(end)
      if (end !== 'exit 0: close' || !('run' in start.command)) continue
      this.#checkClosed(start.command.run)
    }
  }

  /** What the record says now is true now. */
  async checkRecords(): Promise<void> {
    const runs = this.reader()
    const { runs: listed, unreadable } = await runs.list()
    for (const [name, folder] of this.#runs()) {
      const facts = fold(folder)
      const record = await runs.read(name)
      if (record === undefined || facts === undefined || !record.state.hasAllIds) {
        if (!this.isDamaged && folder.goneAt === undefined)
          this.wrong.add(`${name} has no whole head`)
        continue
      }
      const { state } = record
      if (state.damage !== undefined && !this.isDamaged)
        this.wrong.add(`${state.damage}, though nobody damaged it`)
      if (this.isBlind) continue
      this.#checkReceipts(folder, facts, [...receiptsOf(state)], Infinity)
      const made = this.#effects(folder, facts.operation).length
      const isExact = !state.hasLostAnswer && state.damage === undefined
      if (
        facts.operation === 'lists.add-contacts' &&
        (isExact ? state.added !== made : state.added > made)
      )
        this.wrong.add(`${name} has ${state.added} added, and ${made} were`)
      const isListed = !unreadable.some(({ run }) => run === name)
      if (isListed && !hasLateAttempt(folder)) this.#checkListed(name, state, listed)
      this.#checkNamed(folder, facts)
      this.#checkUndo(folder, facts)
    }
  }

  /** Reads the disk as it is. */
  reader() {
    const host: Partial<Host> = {
      env: { SVC_STATE_DIR: '/state' },
      disk: fakeFs(
        (call) => this.#world.disk.perform(call, 0, 0),
        (_, done) => done(null),
      ),
      now: () => this.#world.time,
      computer: { hostname: 'c' } as Host['computer'],
      isRunning: () => true,
      turn: () => Promise.resolve(),
    }
    // Reading asks for nothing else.
    return recordedRuns({ host: host as Host })
  }

  /** The list, which reads beginning and end alone, claims no more than the whole record. A late result may say more. */
  #checkListed(
    name: string,
    { due, counts, damage }: RunFacts['state'],
    listed: readonly RunFacts[],
  ) {
    if (damage !== undefined) return
    const facts = listed.find(({ run }) => run === name)?.state
    const isLess = (facts?.counts.unknown ?? 0) < (counts.unknown ?? 0)
    if (facts === undefined || facts.due < due || isLess)
      this.wrong.add(`${name} is listed otherwise than it is read`)
  }

  /** Each id that is due nowhere, because its run was closed, was named before. */
  #checkNamed(folder: Folder, { run, isClosed, isDamaged, items }: Facts) {
    if (!isClosed || isDamaged || this.isDamaged) return
    for (const { id, isDue } of items)
      if (isDue && this.#named.get(folder)?.has(id) !== true)
        this.wrong.add(`${short(id)} is due nowhere in ${run}, and nobody was told`)
  }

  #checkClosed(typed: string) {
    const [, folder] = this.#runs().find(([name]) => name === typed || name === `@${typed}`) ?? []
    const facts = folder && fold(folder)
    if (folder === undefined || facts === undefined || this.isDamaged) return
    const isBegunLater = folder.bornAt > 0 && this.#removed.size > 0
    if (!facts.isClosed && facts.items.some(({ isDue }) => isDue) && !isBegunLater)
      this.wrong.add(`${typed} was closed, and ids are due`)
  }

  /** The file of the receipts is there and true, unless the command says that it is not, and no draft is left. */
  checkFile(path: string, end: string) {
    const { disk } = this.#world
    const file = disk.find(path)
    const text = file?.kind === 'file' ? file.data.toString() : undefined
    if (this.foreign !== undefined) {
      if (text !== this.foreign.text) this.wrong.add('the file of somebody else was replaced')
      return
    }
    if (end.startsWith('exit 2')) this.wrong.add(`its own file is in its way: ${end}`)
    if (!/^exit [03]/.test(end) && text === undefined) return
    const [, folder] = this.#runs()[0] ?? []
    const facts = folder && fold(folder)
    if (folder === undefined || facts === undefined) return
    if (text === undefined) return void this.wrong.add(`there are no receipts: ${end}`)
    this.#checkReceipts(folder, facts, JSON.parse(text) as Receipt[], Infinity)
    const home = disk.find('/home')
    if (home?.kind === 'folder' && home.entries.size > 1)
      this.wrong.add(`a draft is left: ${[...home.entries.keys()].join(' ')}`)
  }

  /** An undo gives back only what its run changed, to whom it belonged. */
  #checkUndo(folder: Folder, { undoes, operation }: Facts) {
    if (undoes === undefined) return
    const undone = this.#world.disk.find(`${runsFolder}/${undoes}`)
    const isAnother = [...this.#removed.values()].includes(`${runsFolder}/${undoes}`)
    if (undone?.kind !== 'folder' || isAnother) return
    const changes = this.#effects(undone, operation)
    for (const { id, to } of this.#effects(folder, operation))
      if (!changes.some((each) => each.id === id && each.from === to))
        this.wrong.add(`${short(id)} was given to somebody who did not have it`)
  }
}

/** Whether the last word of a part about an id is an attempt. */
function isTried(facts: Facts | undefined, part: Buffer, id: string) {
  const at = facts?.items.findIndex((each) => each.id === id) ?? -1
  const about = linesOf(part).filter((line) => {
    const [from, to] = line?.b ?? [0, 0]
    return from <= at && at < to
  })
  return about.at(-1)?.t === 'try'
}
