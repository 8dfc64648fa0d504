/** Trees of files: a map from each path to its bytes, null for a folder. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every file below a folder by its path, with null for folders. */
export function readTree(folder, below = '', found = new Map()) {
  for (const name of readdirSync(join(folder, below))) {
    const path = join(below, name)
    if (lstatSync(join(folder, path)).isDirectory()) {
      found.set(path, null)
      readTree(folder, path, found)
    } else found.set(path, readFileSync(join(folder, path)))
  }
  return found
}

/** A folder that is made to hold one tree after another: `put` does so, `forget` when something else was put there meanwhile. */
export class Shelf {
  #held

  constructor(folder) {
    this.folder = folder
  }

  forget() {
    this.#held = undefined
  }

  put(tree) {
    if (this.#held === undefined) {
      rmSync(this.folder, { recursive: true, force: true })
      mkdirSync(this.folder, { mode: 0o700 })
      this.#held = new Map()
    }
    const held = this.#held
    for (const [path, bytes] of [...held].reverse()) {
      if (tree.has(path) && (tree.get(path) === null) === (bytes === null)) continue
      rmSync(join(this.folder, path), { recursive: true, force: true })
      held.delete(path)
    }
    for (const [path, bytes] of tree) {
      const before = held.get(path)
      if (bytes === null && before === undefined) mkdirSync(join(this.folder, path), { mode: 0o700 })
      if (bytes !== null && !(before?.equals(bytes) ?? false))
        writeFileSync(join(this.folder, path), bytes, { mode: 0o600 })
      held.set(path, bytes)
    }
  }
}
