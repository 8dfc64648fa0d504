/**
 * The build's own code as V8 compiled it, kept in a file. One script of all pieces that requests need: Node's own loader looks each file up, and
 * its compile cache, which Node 20 has not, keeps no more than what was compiled when a file was loaded.
 */
import { createHash } from 'node:crypto'
import { createRequire, Module } from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'
import type { Disk } from './world.ts'

/** Pieces of `bin/build.mjs` that requests need, but for those that are loaded before. */
export const keptPieces: readonly string[] = [
  'words',
  'help',
  'lists',
  'engine',
  'mistakes',
  'verbs',
  'profile',
  'api',
  'network',
]

/** A piece as a function: what it exports is a member of the module. */
type Piece = (module: object, require: (path: string) => unknown) => void

/** Bytes of a SHA-256, with which the file begins. */
const digestSize = 32

/**
 * Loads the pieces in the folder of the build as they were compiled, and compiles and keeps them where they were not.
 * `draft`: the name of the file while it is written. Throws the system's error, and nothing is loaded.
 */
export async function loadPieces(
  disk: Disk,
  build: string,
  path: string,
  draft: string,
): Promise<void> {
  const text = textOf(disk, build)
  const filename = join(build, 'pieces.js')
  let script = readScript(disk, path, text, filename)
  if (script === undefined) {
    script = await compile(disk, text, filename, draft)
    disk.renameSync(draft, path)
  }
  const pieces = script.runInThisContext() as Piece[]
  const require = createRequire(join(build, 'main.js'))
  const loaded = new Map<string, unknown>()
  for (const [n, name] of keptPieces.entries()) {
    const file = join(build, `${name}.js`)
    const module = new Module(file)
    pieces[n]?.(module, (wanted) => loaded.get(wanted) ?? require(wanted))
    module.loaded = true
    loaded.set(`./${name}.js`, module.exports)
    // For the pieces that Node loads itself.
    require.cache[file] = module
  }
}

/** Each piece in parentheses, which have V8 compile it at once. */
function textOf(disk: Disk, build: string): string {
  const functions = keptPieces.map((name) => {
    const code = disk.readFileSync(join(build, `${name}.js`), 'latin1')
    return `(function(module,require){${code}\n})`
  })
  return `[${functions.join()}]`
}

/** Undefined without a file, and when it is torn, of another build, or of a Node that compiles in another way. */
function readScript(disk: Disk, path: string, text: string, filename: string): Script | undefined {
  if (!disk.existsSync(path)) return undefined
  const bytes = disk.readFileSync(path)
  const code = bytes.subarray(digestSize)
  // V8 compares no more than the length of the text, and runs whatever the code is.
  if (!digestOf(text, code).equals(bytes.subarray(0, digestSize))) return undefined
  const script = new Script(text, { filename, cachedData: code })
  return script.cachedDataRejected === true ? undefined : script
}

/** Compiles the text, and writes the code to the draft. A draft that cannot be made is an error before anything is compiled. */
async function compile(disk: Disk, text: string, filename: string, draft: string): Promise<Script> {
  const file = disk.openSync(draft, 'w', 0o600)
  try {
    const { setFlagsFromString } = await import('node:v8')
    // Left to itself V8 compiles most functions when they are called for the first time, which is too late to be kept.
    setFlagsFromString('--no-lazy')
    const script = new Script(text, { filename })
    setFlagsFromString('--lazy')
    const code = script.createCachedData()
    disk.writeFileSync(file, digestOf(text, code))
    disk.writeFileSync(file, code)
    return script
  } finally {
    disk.closeSync(file)
  }
}

function digestOf(text: string, code: Uint8Array): Buffer {
  return createHash('sha256').update(text, 'latin1').update(code).digest()
}
