import edu.cmu.tetrad.data.BoxDataSet;
import edu.cmu.tetrad.data.ContinuousVariable;
import edu.cmu.tetrad.data.DataSet;
import edu.cmu.tetrad.data.DiscreteVariable;
import edu.cmu.tetrad.data.MixedDataBox;
import edu.cmu.tetrad.graph.Edge;
import edu.cmu.tetrad.graph.Endpoint;
import edu.cmu.tetrad.graph.Node;
import edu.cmu.tetrad.search.Boss;
import edu.cmu.tetrad.search.PermutationSearch;
import edu.cmu.tetrad.search.score.BasisFunctionBicScore;
import edu.cmu.tetrad.search.score.DegenerateGaussianScore;
import edu.cmu.tetrad.search.score.Score;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * One run of Tetrad's BOSS on columns of numbers and labels; started by peers.py.
 *
 * <p>Arguments: DATA.csv KINDS SCORE PENALTY. KINDS has one letter per column: n a number, d a label.
 * SCORE is "degenerate" or "basis"; PENALTY the penalty discount. Prints the seconds of processor,
 * then one edge to a line, by column number from 0; ">" is an arrow, "-" a line.
 */
public class RunBoss {
    public static void main(String[] arguments) throws Exception {
        DataSet data = read(Path.of(arguments[0]), arguments[1]);
        double penalty = Double.parseDouble(arguments[3]);
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long start = system.getProcessCpuTime();
        Score score;
        if (arguments[2].equals("degenerate")) {
            var made = new DegenerateGaussianScore(data, true, 0.0);
            made.setPenaltyDiscount(penalty);
            score = made;
        } else {
            var made = new BasisFunctionBicScore(data, 3, 0.0);
            made.setPenaltyDiscount(penalty);
            score = made;
        }
        Boss boss = new Boss(score);
        boss.setNumThreads(1);
        boss.setNumStarts(1);
        boss.setUseBes(false);
        boss.setVerbose(false);
        PermutationSearch search = new PermutationSearch(boss);
        search.setSeed(1);
        var graph = search.search();
        System.out.println("found " + (system.getProcessCpuTime() - start) / 1e9);
        List<String> names = data.getVariableNames();
        for (Edge edge : graph.getEdges()) {
            Node tail = edge.getNode1();
            Node head = edge.getNode2();
            if (edge.isDirected() && edge.getEndpoint1() == Endpoint.ARROW) {
                tail = edge.getNode2();
                head = edge.getNode1();
            }
            String mark = edge.isDirected() ? ">" : "-";
            System.out.println(mark + " " + names.indexOf(tail.getName()) + " " + names.indexOf(head.getName()));
        }
        System.exit(0);
    }

    private static DataSet read(Path path, String kinds) throws Exception {
        List<String> lines = Files.readAllLines(path);
        String[] names = lines.get(0).split(",");
        int nRows = lines.size() - 1;
        String[][] cells = new String[nRows][];
        for (int i = 0; i < nRows; i++) {
            cells[i] = lines.get(i + 1).split(",");
        }
        List<Node> variables = new ArrayList<>();
        List<List<String>> levels = new ArrayList<>();
        for (int j = 0; j < names.length; j++) {
            TreeSet<String> own = new TreeSet<>();
            if (kinds.charAt(j) == 'd') {
                for (String[] row : cells) {
                    own.add(row[j]);
                }
            }
            levels.add(new ArrayList<>(own));
            variables.add(own.isEmpty() ? new ContinuousVariable(names[j]) : new DiscreteVariable(names[j], levels.get(j)));
        }
        DataSet data = new BoxDataSet(new MixedDataBox(variables, nRows), variables);
        for (int i = 0; i < nRows; i++) {
            for (int j = 0; j < names.length; j++) {
                if (kinds.charAt(j) == 'n') {
                    data.setDouble(i, j, Double.parseDouble(cells[i][j]));
                } else {
                    data.setInt(i, j, levels.get(j).indexOf(cells[i][j]));
                }
            }
        }
        return data;
    }
}
