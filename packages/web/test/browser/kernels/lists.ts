/** What a setup file does for tests of Node: these look names up among all that the package has. */
import { useLists } from '../../../../../test/support/lists.ts';
import { ZOO } from '../../../../zoo/registries.ts';

useLists(ZOO);
