import { agentSetup } from '../../testing/agent-host/agent-setup';
import { computerConformance } from '../../testing/computer-conformance';

computerConformance('host agent (perl)', () => agentSetup('perl'));
