/** Vitest runs this anew for each test file; what the files import is shared by all files of one process. */
import { afterAll } from 'vitest'
import { endAll } from './ending.ts'

afterAll(endAll)
