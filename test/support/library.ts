/** Commands that tests run in their own process may name everything that the package has. */
import { useLibrary } from '../../src/cli/library.ts';
import { zooLibrary } from '../../src/zoo/library.ts';

useLibrary(zooLibrary);
