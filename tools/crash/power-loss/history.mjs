/** What a log of `record.cjs` says was done, to files and folders that are told apart for good. */
import { dirname } from 'node:path'

const parentOf = (path) => (dirname(path) === '.' ? '' : dirname(path))
const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1)

/** The log's operations upon nodes (files and folders, told apart for good), in the order in which they began. */
export class History {
  operations = []
  syncs = []
  root = { id: 'root', entries: new Map(), initial: new Map() }
  #byInode = new Map()
  #byOperation = new Map()
  #nodes = 0

  constructor(events, tree, begin) {
    for (const [path, bytes] of tree) {
      const folder = this.#find(parentOf(path))
      const node = this.#node(bytes === null, bytes ?? undefined)
      folder.entries.set(nameOf(path), node)
      folder.initial.set(nameOf(path), node)
    }
    const ends = new Map()
    for (const [index, event] of events.entries())
      if (event.end !== undefined) ends.set(`${event.pid} ${event.end}`, { index, ...event })
    for (const [index, event] of events.entries()) {
      if (index < begin) continue
      if (event.op !== undefined) this.#add(event, index, ends.get(`${event.pid} ${event.id}`))
      if (event.end !== undefined && event.file !== undefined) this.#bind(event)
    }
  }

  #node(isFolder, initial) {
    this.#nodes += 1
    return isFolder
      ? { id: `folder ${this.#nodes}`, entries: new Map(), initial: new Map() }
      : { id: `file ${this.#nodes}`, initial: initial ?? Buffer.alloc(0) }
  }

  #find(path) {
    let node = this.root
    for (const name of path === '' ? [] : path.split('/')) node = node?.entries?.get(name)
    return node
  }

  #bind({ pid, end, file }) {
    const node = this.#byOperation.get(`${pid} ${end}`)
    if (node !== undefined) this.#byInode.set(file, node)
  }

  #add(event, index, ended) {
    if (ended?.error !== undefined) return
    const { op, path } = event
    const node = event.file === undefined ? this.#find(path) : this.#byInode.get(event.file)
    const span = { begin: index, end: ended?.index ?? Infinity }
    const key = `${event.pid} ${event.id}`
    switch (op) {
      case 'open':
        this.#byOperation.set(key, node)
        return
      case 'sync':
        if (node === undefined) throw new Error(`a sync of something unknown: ${JSON.stringify(event)}`)
        this.syncs.push({ ...span, node, site: event.site, path: this.pathOf(node) })
        return
      case 'write':
      case 'truncate': {
        if (op === 'truncate' && path !== undefined) this.#byOperation.set(key, node)
        const bytes = op === 'write' ? Buffer.from(event.bytes, 'base64').subarray(0, ended?.length) : undefined
        this.operations.push({ ...span, node, at: event.at ?? event.length, bytes })
        return
      }
      default:
        this.#change(event, span, key)
    }
  }

  /** Entries that appear and go away. */
  #change({ op, path, to }, span, key) {
    const node = op === 'create' || op === 'mkdir' ? this.#node(op === 'mkdir') : this.#find(path)
    if (op === 'create') this.#byOperation.set(key, node)
    if (node !== undefined) node.name = nameOf(to ?? path)
    const changes = []
    const change = (at, value) => changes.push({ folder: this.#find(parentOf(at)), name: nameOf(at), node: value })
    if (op === 'rename') change(path, undefined)
    if (op === 'rename' || op === 'link') change(to, node)
    else change(path, op === 'create' || op === 'mkdir' ? node : undefined)
    for (const { folder, name, node: value } of changes) {
      if (value === undefined) folder.entries.delete(name)
      else folder.entries.set(name, value)
    }
    // A move between folders is durable with the one that it goes to.
    this.operations.push({ ...span, node: changes.at(-1).folder, changes, to })
  }

  /** Where a node is now, with what differs from run to run made equal. */
  pathOf(wanted, node = this.root, path = '') {
    if (node === wanted) return path === '' ? '.' : path
    for (const [name, below] of node.entries ?? []) {
      const found = this.pathOf(wanted, below, path === '' ? name : `${path}/${name}`)
      if (found !== undefined) return found
    }
    return undefined
  }
}
