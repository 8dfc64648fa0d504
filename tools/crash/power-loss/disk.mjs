/**
 * What a disk holds when the power goes, as the log of `record.cjs` allows it. Content is durable once a sync of its file
 * that began after the write has ended; an entry of a folder once such a sync of the folder has. Of everything else each
 * page may be there in any of its states since, or not, whatever became of the others.
 */
import { groupBy } from '../../harness/judge.mjs'
import { History } from './history.mjs'

/**
 * The disk after each of the events. `dropped` says of which syncs it is to know nothing; `page`: how many bytes are lost or
 * kept together; `begin`: the first event of them that counts, before which the tree was.
 */
export class Disk {
  #history
  #page

  constructor(events, tree, { page = 4096, dropped = () => false, begin = 0 } = {}) {
    this.#history = new History(events, tree, begin)
    this.#page = page
    const kept = this.#history.syncs.filter((sync) => !dropped(sync))
    for (const operation of this.#history.operations) {
      const covering = kept.filter(({ node, begin }) => node === operation.node && begin > operation.end)
      operation.durable = Math.min(Infinity, ...covering.map(({ end }) => end))
    }
  }

  get syncs() {
    return this.#history.syncs
  }

  /** What was moved to a path that fits: where in the log, and the whole content. */
  moves(pattern) {
    return this.#history.operations
      .filter(({ to }) => to !== undefined && pattern.test(to))
      .map(({ to, begin }) => ({
        path: to,
        at: begin,
        bytes: this.at(begin + 1)
          .tree(kept)
          .get(to),
      }))
  }

  /** What is on the disk, and what may be, after the first `cut` events. */
  at(cut) {
    const issued = this.#history.operations.filter(({ begin }) => begin < cut)
    return new Moment(this.#history.root, issued, { cut, page: this.#page })
  }
}

/** The content of a file after an operation upon it. */
function applied(content, { at, bytes }) {
  if (bytes === undefined) {
    const cut = Buffer.alloc(at)
    content.copy(cut, 0, 0, Math.min(at, content.length))
    return cut
  }
  const grown = Buffer.alloc(Math.max(content.length, at + bytes.length))
  content.copy(grown)
  bytes.copy(grown, at)
  return grown
}

class Moment {
  /** What may be lost by itself: a page of a file, its length, an entry. `versions`: 0 is what is durable. */
  units = []
  #root
  #entries
  #files = new Map()
  #page

  constructor(root, issued, { cut, page }) {
    this.#root = root
    this.#page = page
    this.#entries = issued.filter(({ changes }) => changes !== undefined)
    for (const [index, operation] of this.#entries.entries()) {
      operation.unit = operation.durable < cut ? undefined : `entry ${index}`
      if (operation.unit !== undefined) this.units.push({ key: operation.unit, versions: 1 })
    }
    const contents = issued.filter(({ changes }) => changes === undefined)
    for (const [node, operations] of groupBy(contents, ({ node }) => node)) this.#addFile(node, operations, cut)
  }

  #addFile(node, operations, cut) {
    let base = node.initial
    for (const operation of operations) if (operation.durable < cut) base = applied(base, operation)
    const versions = [base]
    const pages = new Set()
    for (const operation of operations) {
      if (operation.durable < cut) continue
      versions.push(applied(versions.at(-1), operation))
      const last = operation.at + (operation.bytes?.length ?? 0) - 1
      for (let page = Math.floor(operation.at / this.#page); page * this.#page <= last; page += 1) pages.add(page)
    }
    this.#files.set(node, { versions, pages })
    if (versions.length === 1) return
    for (const page of pages)
      this.units.push({ key: `${node.id} page ${page}`, versions: versions.length - 1, pageOf: node.name })
    this.units.push({ key: `${node.id} length`, versions: versions.length - 1, isLength: true })
  }

  /** The tree as it is found afterwards; `pick` gives the version of each unit. */
  tree(pick) {
    const versionOf = new Map(this.units.map((unit) => [unit.key, pick(unit)]))
    const entries = new Map()
    const of = (folder) => {
      if (!entries.has(folder)) entries.set(folder, new Map(folder.initial))
      return entries.get(folder)
    }
    for (const { unit, changes } of this.#entries) {
      if (unit !== undefined && versionOf.get(unit) === 0) continue
      for (const { folder, name, node } of changes) {
        if (node === undefined) of(folder).delete(name)
        else of(folder).set(name, node)
      }
    }
    const tree = new Map()
    const walk = (folder, path) => {
      for (const [name, node] of of(folder)) {
        const at = path === '' ? name : `${path}/${name}`
        tree.set(at, node.entries === undefined ? this.#content(node, versionOf) : null)
        if (node.entries !== undefined) walk(node, at)
      }
    }
    walk(this.#root, '')
    return tree
  }

  #content(node, versionOf) {
    const file = this.#files.get(node)
    if (file === undefined) return node.initial
    const { versions, pages } = file
    if (versions.length === 1) return versions[0]
    const content = Buffer.alloc(versions[versionOf.get(`${node.id} length`)].length)
    versions[0].copy(content)
    for (const page of pages) {
      const from = page * this.#page
      content.fill(0, from, Math.min(content.length, from + this.#page))
      const version = versions[versionOf.get(`${node.id} page ${page}`)]
      if (version.length > from) version.copy(content, from, from, from + this.#page)
    }
    return content
  }
}

export const kept = ({ versions }) => versions
export const lost = () => 0

/** Every way in which power may have been lost that is tried at one moment, with its name. */
export function* losses(units, random, { randoms }) {
  yield ['nothing lost', kept]
  if (units.length === 0) return
  yield ['everything lost', lost]
  yield [
    'everything lost but lengths and entries',
    ({ key, isLength, versions }) => (isLength === true || key.startsWith('entry') ? versions : 0),
  ]
  for (const { key } of units) {
    yield [`${key} lost`, (unit) => (unit.key === key ? 0 : unit.versions)]
    yield [`${key} kept alone`, (unit) => (unit.key === key ? unit.versions : 0)]
  }
  for (let i = 0; i < randoms; i += 1) {
    const share = random()
    yield [
      `random ${i}`,
      ({ versions }) => (random() < share ? versions : random() < 0.5 ? 0 : Math.floor(random() * (versions + 1))),
    ]
  }
}
