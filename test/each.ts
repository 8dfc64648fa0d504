/** Vitest runs this anew for each test file; what the files import is shared by all files of one process. */
import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import { afterAll } from 'vitest'
import { endAll } from './ending.ts'

afterAll(endAll)

// A command's flags for its own process must not slow the tests that follow it in this one.
v8.setFlagsFromString = () => undefined
syncBuiltinESMExports()
